#' Learn from a stream
#'
#' Reads a source chunk by chunk, predicts every row before it is learned (prequential evaluation), and
#' returns the model with its metrics. Memory stays bounded by the model, a chunk and the windows asked for. It learns
#' classes, numbers, quantiles or novelty, see [losses].
#'
#' @section The life of a stream:
#' - Classes need not be known: a new one joins when it first appears, and is recorded in `events`. It learns against
#'   those that are there: of every class the latest 1,000 rows are remembered (fewer where that would be over 10,000
#'   in all), and for the first 1,000 rows of a new class, within 10,000 of the stream, those of the others are learned
#'   again beside it, as far as the stream itself has fewer of them. Such rows are neither counted nor evaluated;
#'   support vectors may be among them twice. What was learned then is close to, not the same as, what the rows in mixed
#'   order would have taught. A solver that forgets learns all the examples that it keeps anew instead. Until two
#'   classes are known, the only one is predicted, and its latest `window` examples are kept for the start of the model.
#'   With `levels` the model starts at once. Beyond 50 classes, unless `multiclass` is given, a kernel model starts
#'   anew, one against the rest, from the examples that it keeps, because pairs of so many classes would make
#'   every further class cost more.
#' - Rows with missing features are passed over and counted. Rows without a label are predicted, not learned.
#' - Levels of factors are those of the examples that the model starts from. A row with a new one is passed over as if
#'   the value were missing, and counted so; the first of each column is recorded in `events`. `new_levels = "error"`
#'   ends the run instead.
#' - Labels stay what they are at first: numbers, text, or `TRUE` and `FALSE`. Unless `loss`, `levels`, `metrics` or a
#'   `fit` say what is learned, the first chunk does: labels are taken for numbers or classes as in [osvm()].
#' - Numbers are scaled by the mean and standard deviation of those that the model starts from; with
#'   `scale = "running"` these follow the stream, as those of the features do. A model of numbers or novelty starts
#'   when 20 rows have come, at once if nothing is to be estimated (`scale = FALSE` and a kernel with its width).
#' - Novelty, with `loss = loss_novelty()`, is learned from a source without labels, all of its rows.
#' - Empty chunks are passed over and counted.
#' - The columns of the first chunk are those of the stream: a missing or a new one is an error that names it.
#' - An error in the source or in a chunk ends the run. The condition has the element `run`, the result until
#'   then (so have warnings, which come at the end), and the file `checkpoint`, if there is one, is the last that was
#'   written.
#'
#' With `evaluate = "rows"` a row is predicted by the model that has learned all rows before it, also those of its own
#' chunk: the outputs come from the core, which has them before each update. The metrics are those of `chunk = 1`, at
#' the cost of learning alone, but for what is done once per chunk: scaling and kernel width are estimated from the
#' first chunk, whose classes are known from its start; running scaling is that of the end of a chunk; reactions to
#' drift and the map of probabilities come after it; rows without a label are predicted by the model before it. It is
#' for solvers that visit each example once and in order: `epochs = 1`, `shuffle = FALSE`, no finish and no average.
#' With `evaluate = "chunks"` a chunk is predicted by the model before it. By default rows are evaluated where they
#' can be: a solver visits them once and in order then, unless `epochs` or `shuffle` are among the parameters that it
#' was given. Where labels last, [solver_pa()] is right on 82.8 % of the rows so, and on 53.1 % by shuffled chunks
#' (`bench/results/claims.md`).
#'
#' Labels may come later than their examples: with `delay` an example is learned and evaluated, by the prediction
#' made when it came, after that number of further rows; what is left at the end comes then, and is in the last row of
#' the metrics. Predictions with a delay are made chunk by chunk.
#'
#' Nothing grows with the length of a stream, unless `keep` asks for it: of the events the latest 1,000 are kept, and
#' the table of metrics has at most 10,000 rows.
#'
#' @section Metrics:
#' `r metric_help("stream")`
#'
#' Log-loss and the Brier score need probabilities: a map fitted to the latest `window` decision values before their
#' examples were learned, anew after every tenth of them. They are means over the rows from the first map on,
#' also of the baselines.
#'
#' Baselines of numbers predict the number before, and the mean of all before. Novelty has no baseline.
#'
#' @section Sets and intervals:
#' With a `level` every row is given a set of classes, or an interval, that is to have its label: those that [conformal]
#' describes, by the scores of the latest 500 rows, each of which the model had not learned. A fixed share of these does
#' not keep its level when the data change, since then the scores of the past are too small. The share therefore follows
#' the labels (adaptive conformal inference, Gibbs and Candes 2021): after a row whose label was missed it rises by
#' `0.02 level`, after others it falls by `0.02 (1 - level)`. Whatever the stream does, the share of the rows that are
#' covered then tends to `level`, and after 1,000 rows is within `r 100 * signif((1 + 2 * 0.02) / 0.02 / 1000, 2)` % of
#' it; this is a statement on average over rows, not on each. Where a stream is harder, sets are larger, intervals
#' wider: where the share comes to 1 they have all classes, or no ends.
#'
#' The metrics have the columns `coverage` and `set_size`, the number of classes, or `width` and `unbounded`, the share
#' of intervals without ends, which do not count for the mean width; `_window` are those of the latest rows. A row of a
#' class that was not known is missed, whatever the share. Chunks, with `evaluate = "chunks"`, and rows with a `delay`
#' have sets before their labels are known, and the share makes smaller steps, so that it does not overshoot; coverage
#' then returns more slowly. Of the model, `fit`, scores are those of the latest rows, and
#' [`predict()`][predict.osvm_stream] of the stream takes the share of the end for `level`. Novelty has no such sets:
#' its share of alarms is `nu`.
#'
#' @section Drift:
#' A detector (see [drift_adwin()]) watches the prequential errors: 0 or 1 for classes; for numbers the absolute error,
#' as a share of two standard deviations of the numbers so far, and at most 1; for novelty 1 where a row is called
#' novel. Its `react` decides what happens:
#' `"tell"` records the detection; `"forget"` removes the examples from before the change (solvers that forget);
#' `"restart"` starts a new model from the examples since the change, of the latest `window`; `"fade"` halves all
#' coefficients (solvers whose state consists of coefficients). Everything that was done is in `events`.
#'
#' @section Checkpoints:
#' With `checkpoint` the whole state of the run is written to that file, beside it first and then renamed, so that
#' the file is complete at any moment. `osvm_stream(resume = file)` goes on after it and ends with the same model,
#' bit for bit, as a run that was not interrupted. A source that is not a file must be given again. Other
#' arguments are those of the run; only `seconds`, `chunks` and `verbose` may be new. Kernel values in memory are not
#' part of the state, so that counts of kernel evaluations may differ.
#'
#' @param source Where the examples come from, see [sources].
#' @param solver,kernel As in [osvm_live()]: online solvers.
#' @param ... Further arguments of [osvm()]: `loss`, `scale` (`"running"` follows the stream), `multiclass`,
#'   `class_weights`, `cache_mb`, `threads`.
#' @param fit A model to go on from, instead of `solver`, `kernel` and `...`.
#' @param levels Classes known beforehand, see [osvm_live()].
#' @param chunk Number of rows read, predicted and learned at a time.
#' @param metrics Names of metrics, see below, or a list of these and of named functions of truth and predicted:
#'   factors, numbers, or flags. `NULL`: `"accuracy"`, `"rmse"` and `"mae"`, `"pinball"` for quantiles, or `"novel"`.
#' @param window Number of latest rows over which the metrics are given, besides those over all rows.
#' @param warm_up Number of labelled rows at the start that are learned, but not evaluated.
#' @param evaluate `"rows"`: each row is predicted by the model that has learned all before it; `"chunks"`: by that of
#'   the chunk before; `NULL`: rows, if the solver can and there is no `delay`.
#' @param delay Number of rows by which labels come later than their examples.
#' @param forget_after Number of latest examples that the model remembers: older ones are removed after every chunk,
#'   exactly, as by [forget()]. For solvers that forget, see [solvers()]; with
#'   `drift_adwin(react = "forget")` the detector cuts these, too.
#' @param drift A detector: [drift_none()], [drift_adwin()], [drift_page_hinkley()].
#' @param new_levels Levels of factors that the model does not know: `"NA"` or `"error"`, see below.
#' @param level The share of rows whose label is to be in their set of classes, or interval, see below; `NULL`: there
#'   are none.
#' @param keep `"predictions"`: keep the prediction of every row, too.
#' @param checkpoint File to write the state to, or `NULL`.
#' @param every_chunks,every_seconds Numbers of chunks and of seconds after which a checkpoint is written, whichever
#'   comes first. There is one at the end, too.
#' @param seconds,chunks Limits of time and of chunks, after which the run ends. It can be resumed.
#' @param resume File of a checkpoint to go on from.
#' @param verbose Show progress?
#' @return An object of class `osvm_stream`, a list:
#'   \item{fit}{the model, see [osvm()]; `NULL` if fewer than two classes came, or too few rows}
#'   \item{metrics}{a data frame with a row per chunk (in long runs per two, four, ... chunks): `chunk`, `row` (rows
#'     read so far), `seconds`, `reading` (the part of them spent reading), `n_sv`, and for each metric `m` its value
#'     over all rows (`m`), over the window
#'     (`m_window`), and both for the baselines that predict the label before (`m_no_change`) and the most
#'     frequent one (`m_majority`), or the mean of the numbers before (`m_mean`)}
#'   \item{events}{a data frame `chunk`, `row`, `event`, `detail`: detected drift, new classes, ...}
#'   \item{rows}{counts: `read`, `learned`, `unlabelled`, `incomplete`, `empty_chunks`}
#'   \item{predictions}{with `keep = "predictions"` a data frame `row`, `label`, `predicted` of the rows without missing
#'     features; `predicted` is `NA` before there is a class to predict. Of several
#'     quantiles it is the one nearest the median, followed by a column for each, named by `tau`. With a
#'     `level` also `set`, a text such as `"{a, b}"`, or `lower` and `upper`}
#'   \item{level}{with a `level` the share of scores that it has come to, see below}
#'   \item{performance}{`rows_per_second`, read and learned; `megabytes`, which the model and what the run holds take at
#'     the end}
#'   \item{ended}{`"source"`, `"seconds"`, `"chunks"` or `"interrupt"`}
#' @references Gibbs, I. and Candes, E. J. (2021). Adaptive conformal inference under distribution shift. *Advances in
#' Neural Information Processing Systems 34*.
#' @seealso [osvm_live()], [sources], [drift_adwin()]
#' @export
#' @examples
#' set.seed(1)
#' board <- chessboard(4000)
#' # The colours change places
#' board$y[2001:4000] <- ifelse(board$y[2001:4000] == "black", "white", "black")
#' run <- osvm_stream(
#'   source_matrix(board$x, board$y), solver_olsvm(C = 10, epochs = 1), kernel_rbf(sigma = 0.5),
#'   chunk = 100, metrics = c("accuracy", "kappa"), window = 500,
#'   drift = drift_adwin(react = "restart")
#' )
#' run
#' plot(run)
#' run$events
#'
#' # Numbers, whose slope changes
#' x <- matrix(rnorm(8000), 4000)
#' y <- x[, 1] * rep(c(2, -1), each = 2000) + x[, 2] + rnorm(4000, sd = 0.2)
#' osvm_stream(source_matrix(x, y), kernel = "linear", drift = drift_adwin())
#'
#' # Intervals that cover nine of ten numbers, before and after the change
#' run <- osvm_stream(source_matrix(x, y), kernel = "linear", level = 0.9)
#' run$metrics[c("row", "coverage_window", "width_window")]
#' plot(run)
osvm_stream <- function(source, solver = NULL, kernel = NULL, ..., fit = NULL, levels = NULL, chunk = 500,
                        metrics = NULL, window = 1000, warm_up = 0, evaluate = NULL, delay = 0,
                        forget_after = Inf, drift = drift_none(), new_levels = c("NA", "error"),
                        keep = c("model", "predictions"), level = NULL, checkpoint = NULL, every_chunks = Inf,
                        every_seconds = 30, seconds = Inf, chunks = Inf, resume = NULL, verbose = interactive()) {
  check_passed("osvm_stream", osvm.default, ...)
  limits <- list(seconds = one_limit(seconds), chunks = one_limit(chunks), verbose = one_flag(verbose))
  if (!is.null(resume)) {
    s <- resume_stream(resume, if (!missing(source)) source)
    checkpoint <- resume
  } else {
    if (missing(source)) abort("{.arg source} is missing: give one of the {.code source_} functions.")
    settings <- list(
      chunk = one_whole(chunk), window = one_whole(window), delay = one_whole(delay, least = 0),
      drift = check_drift(drift), warm_up = one_whole(warm_up, least = 0), metrics = metrics,
      evaluate = if (!is.null(evaluate)) one_choice(evaluate, c("rows", "chunks")),
      new_levels = one_choice(new_levels, c("NA", "error")), forget_after = one_limit(forget_after),
      keep = one_choice(keep, c("model", "predictions")),
      level = if (!is.null(level)) one_number(level, above = 0, below = 1), every_chunks = one_limit(every_chunks),
      every_seconds = one_limit(every_seconds)
    )
    s <- start_stream(check_source(source), settings, fit, levels, solver, kernel, ...)
  }
  s$checkpoint <- if (!is.null(checkpoint)) check_checkpoint(checkpoint)
  s$limits <- limits
  follow_stream(s)
}
