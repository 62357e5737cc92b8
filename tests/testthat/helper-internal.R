# The one way from tests to what users of the package do not have. Tests run beside the package, not within it: a name
# that is not in this table is not found. What can be seen from outside is tested from outside.
internals <- list(
  "what solvers and kernels declare, over which the conformance suite runs" = c(
    "constructor", "ffi_traits", "given_kernels", "kernel_info", "kernel_table", "kernel_values",
    "base_kernel", "base_values", "role_name", "role_value", "solver_info", "solver_traits", "spec_names",
    "spec_parameters", "all_parameters"
  ),
  "tables of hints, every entry of which is tried" = c(
    "find_habit", "habits", "kernel_aliases", "par_names", "value_habits"
  ),
  "rules with a definition of their own, which is compared value by value" = c(
    "drift_add", "drift_start", "prequential_add", "prequential_start", "prequential_values",
    "open_source", "bind_examples", "row_keys", "cluster_centers", "gradient_sizes", "fit_trend", "trend_values",
    "as_sparse", "mapped_rows", "estimated_parts", "race_stages", "still_racing", "tidy_points"
  ),
  "what frameworks call: a run that serves all numbers of epochs" = c(
    "can_continue", "continue_epochs", "fit_path", "path_decisions", "path_predictions",
    "vetiver_create_description.osvm"
  ),
  "what is drawn, before it is a picture" = c(
    "active_lines", "cell_borders", "check_model", "class_borders", "class_colours", "class_scores",
    "class_threshold", "importance_panels", "plot_axes", "plot_center", "plot_parts", "plot_surface",
    "shapley_panels"
  ),
  "states that a user comes to by chance, or after hours" = c(
    "classes_joined", "examples_again", "at_rows", "latest_rows", "mirror_scalars", "recall", "remember_classes",
    "cache", "data_extent", "needs_doubles", "remembered"
  ),
  "limits that data of a test does not reach, and what is watched at work" = c(
    "most_metrics", "holdout_outputs", "free_mb", "spare_mb"
  ),
  "entry points given arguments that R's checks would not let through" = c(
    "core_request", "ffi_live_update", "no_examples", "open_core"
  )
)

package_space <- asNamespace("onlinesvm")
in_package <- function(name) get(name, envir = package_space)
for (name in Filter(function(name) exists(name, package_space), unlist(internals))) assign(name, in_package(name))

# Replaces a function or value of the package until the caller returns.
local_internal <- function(name, value, frame = parent.frame()) {
  old <- in_package(name)
  utils::assignInNamespace(name, value, "onlinesvm")
  back <- bquote(utils::assignInNamespace(.(name), quote(.(old)), "onlinesvm"))
  do.call(on.exit, list(back, add = TRUE, after = FALSE), envir = frame)
}
