# Tables with factors, numbers and missing values, from packages and, where they are at hand, real data: functions that
# return list(x = data frame, y = factor or numbers). What is known only with the label, or is another form of it, and
# numbers of persons, firms and rows are dropped. A set whose package is missing is left out.

# A coin decided, before anything was tuned on these sets, which are for choosing and which are held out.
coin <- function(names) {
  set.seed(20261119, kind = "Mersenne-Twister", sample.kind = "Rejection")
  stats::setNames(c("chosen", "held out")[1 + (stats::runif(length(names)) < 0.5)], sort(names, method = "radix"))
}

frame_of <- function(data, target, drop = NULL) {
  data <- as.data.frame(data)
  data <- data[!is.na(data[[target]]), setdiff(names(data), drop)]
  x <- data[setdiff(names(data), target)]
  x[] <- lapply(x, function(v) {
    if (is.character(v) || is.logical(v)) factor(v) else if (is.factor(v)) droplevels(v) else as.numeric(v)
  })
  y <- data[[target]]
  if (is.logical(y) || is.character(y)) y <- factor(y)
  list(
    x = x[vapply(x, function(v) length(unique(stats::na.omit(v))) > 1, NA)],
    y = if (is.factor(y)) droplevels(y) else as.numeric(y)
  )
}

# A table of a package; `label`: turns the target into what is to be predicted
table_of <- function(package, name, target, drop = NULL, label = identity) {
  function() {
    env <- new.env()
    suppressWarnings(utils::data(list = name, package = package, envir = env))
    data <- if (is.null(env[[name]])) getExportedValue(package, name) else env[[name]]
    data[[target]] <- label(data[[target]])
    frame_of(data, target, drop)
  }
}
generated <- function(make) {
  function() {
    d <- make()
    list(x = as.data.frame(d$x), y = factor(d$classes))
  }
}
shared <- function(name, classes = TRUE) {
  function() {
    d <- readRDS(file.path(Sys.getenv("OSVM_DATA", "../shared/data"), paste0(name, ".rds")))
    rows <- sample(nrow(d$x), min(nrow(d$x), 12000))
    x <- as.matrix(d$x[rows, ])
    list(
      x = as.data.frame(matrix(as.numeric(x), nrow(x))),
      y = if (classes) factor(d$y[rows]) else as.numeric(d$y[rows])
    )
  }
}
classes <- function(v) factor(v)
above <- function(limit) function(v) factor(v > limit)

makers <- list(
  # numbers
  ames = table_of("modeldata", "ames", "Sale_Price"),
  airfare = table_of("wooldridge", "airfare", "fare", c("id", "lfare", "ldist", "ldistsq", "lpassen")),
  auto = table_of("ISLR2", "Auto", "mpg", "name"),
  bikeshare = table_of("ISLR2", "Bikeshare", "bikers", c("casual", "registered")),
  biomass = table_of("modeldata", "biomass", "HHV", "sample"),
  births = table_of("wooldridge", "bwght2", "bwght", c("lbw", "vlbw", "lbwght", "magesq", "npvissq")),
  boston = table_of("mlbench", "BostonHousing", "medv"),
  cairo = table_of("gamair", "cairo", "temp"),
  cars = table_of("modeldata", "car_prices", "Price"),
  carseats = table_of("ISLR2", "Carseats", "Sales"),
  caschool = table_of("AER", "CASchools", "math", c("district", "school", "read", "county")),
  checks = table_of("modeldata", "check_times", "check_time", "package"),
  chicago = table_of("modeldata", "Chicago", "ridership", "date"),
  chlorophyll = table_of("gamair", "chl", "chl"),
  cigarettes = table_of("Ecdat", "Cigar", "sales", "state"),
  college_score = table_of("AER", "CollegeDistance", "score"),
  computers = table_of("Ecdat", "Computers", "price"),
  concrete = table_of("modeldata", "concrete", "compressive_strength"),
  cps1985 = table_of("AER", "CPS1985", "wage"),
  cps1988 = table_of("AER", "CPS1988", "wage"),
  credit_balance = table_of("ISLR2", "Credit", "Balance"),
  diabetes = table_of("faraway", "diabetes", "glyhb", c("id", "bp.2s", "bp.2d")),
  diamonds = table_of("ggplot2", "diamonds", "price"),
  flights = table_of("nycflights13", "flights", "arr_delay", c("arr_time", "tailnum", "time_hour", "year", "dest")),
  food_italy = table_of("Ecdat", "BudgetItaly", "wfood", c("whouse", "wmisc")),
  food_spain = table_of("Ecdat", "BudgetFood", "wfood"),
  food_uk = table_of("Ecdat", "BudgetUK", "wfood", c("wfuel", "wcloth", "walc", "wtrans", "wother")),
  guns = table_of("AER", "Guns", "violent", c("murder", "robbery", "state")),
  hitters = table_of("ISLR2", "Hitters", "Salary"),
  houses = table_of("AER", "HousePrices", "price"),
  house_8L = shared("house_8L", FALSE),
  interest = table_of("modeldata", "lending_club", "int_rate", c("sub_grade", "addr_state", "Class")),
  junior_school = table_of("faraway", "jsp", "math", c("id", "english")),
  mathematics = table_of("wooldridge", "catholic", "math12", c("id", "read12")),
  movies = table_of("ggplot2movies", "movies", "rating", c("title", paste0("r", 1:10))),
  mv = shared("mv", FALSE),
  fried = shared("fried", FALSE),
  cpu_small = shared("cpu_small", FALSE),
  planes = shared("2dplanes", FALSE),
  office_visits = table_of("AER", "NMES1988", "visits", c("nvisits", "ovisits", "novisits")),
  outstate = table_of("ISLR2", "College", "Outstate"),
  panel_wages = table_of("AER", "PSID7682", "wage", "id"),
  ozone = table_of("mlbench", "Ozone", "V4", c("V2", "V3")),
  psid1982 = table_of("AER", "PSID1982", "wage"),
  pupils = table_of("MASS", "nlschools", "lang", "class"),
  rents = table_of("gamlss.data", "rent99", "rent", c("rentsqm", "district")),
  rice = table_of("plm", "RiceFarms", "goutput", c("id", "noutput")),
  sacramento = table_of("modeldata", "Sacramento", "price", "zip"),
  salaries = table_of("carData", "Salaries", "salary"),
  schooling = table_of("Ecdat", "Schooling", "lwage76", "wage76"),
  seat_belts = table_of("AER", "USSeatBelts", "fatalities", "state"),
  slid = table_of("carData", "SLID", "wages"),
  solder = table_of("rpart", "solder", "skips"),
  stackoverflow = table_of("modeldata", "stackoverflow", "Salary"),
  star = table_of("Ecdat", "Star", "tmathssk", c("treadssk", "schidkn")),
  teaching = table_of("AER", "TeachingRatings", "eval", "prof"),
  two_years = table_of("wooldridge", "twoyear", "lwage", "id"),
  ultrasound = table_of("gamlss.data", "ultra", "birthweight"),
  us_wages = table_of("faraway", "uswages", "wage"),
  vietnam = table_of("Ecdat", "VietNamH", "lntotal", c("commune", "lnrlfood")),
  vocabulary = table_of("carData", "GSSvocab", "vocab", c("ageGroup", "educGroup")),
  wage = table_of("ISLR2", "Wage", "wage", "logwage"),
  wage2 = table_of("wooldridge", "wage2", "wage", "lwage"),
  working_hours = table_of("Ecdat", "Workinghours", "hours"),
  # classes
  affairs = table_of("AER", "Affairs", "affairs", label = above(0)),
  alzheimer = table_of("modeldata", "ad_data", "Class"),
  arrests = table_of("carData", "Arrests", "released"),
  attrition = table_of("modeldata", "attrition", "Attrition"),
  beps = table_of("carData", "BEPS", "vote"),
  breast = table_of("mlbench", "BreastCancer", "Class", "Id"),
  brown_fat = table_of("gamlss.data", "brownfat", "brownfat", "bfmass", classes),
  catsup = table_of("Ecdat", "Catsup", "choice", "id"),
  cells = table_of("modeldata", "cells", "class", "case"),
  chile = table_of("carData", "Chile", "vote"),
  churn = table_of("modeldata", "mlc_churn", "churn", "state"),
  churn_telco = table_of("modeldata", "wa_churn", "churn"),
  computing = table_of("modeldata", "hpc_data", "class"),
  coronary = table_of("faraway", "wcgs", "chd", c("typechd", "timechd")),
  covertype = shared("covertype"),
  credit = table_of("modeldata", "credit_data", "Status"),
  credit_card = table_of("AER", "CreditCard", "card", c("expenditure", "share")),
  dna = table_of("mlbench", "DNA", "Class"),
  eukaryotic = shared("eukaryotic"),
  fishing = table_of("Ecdat", "Fishing", "mode", c("price", "catch")),
  gbsg = table_of("survival", "gbsg", "status", c("pid", "rfstime"), classes),
  glass = table_of("mlbench", "Glass", "Type"),
  glaucoma = table_of("TH.data", "GlaucomaM", "Class"),
  heating = table_of("Ecdat", "Heating", "depvar", "idcase"),
  hmda = table_of("AER", "HMDA", "deny"),
  income = table_of("kernlab", "income", "INCOME", label = function(v) factor(as.integer(v) > 4)),
  insurance = table_of("AER", "HealthInsurance", "insurance"),
  ionosphere = table_of("mlbench", "Ionosphere", "Class", "V2"),
  juice = table_of("ISLR2", "OJ", "Purchase"),
  letters = table_of("mlbench", "LetterRecognition", "lettr"),
  light_chains = table_of("survival", "flchain", "death", c("futime", "chapter"), classes),
  mgus = table_of("survival", "mgus2", "death", c("id", "futime", "ptime", "pstat"), classes),
  mroz = table_of("AER", "PSID1976", "participation", c("hours", "wage", "repwage")),
  musk = table_of("kernlab", "musk", "Class"),
  pbc = table_of("survival", "pbc", "status", c("id", "time"), above(1)),
  penguins = table_of("modeldata", "penguins", "species"),
  personality = table_of("psych", "bfi", "gender", label = classes),
  pima = table_of("mlbench", "PimaIndiansDiabetes2", "diabetes"),
  private_college = table_of("ISLR2", "College", "Private"),
  ringnorm = generated(function() mlbench::mlbench.ringnorm(6000, 20)),
  rotterdam = table_of("survival", "rotterdam", "death", c("pid", "rtime", "recur", "dtime"), classes),
  satellite = table_of("mlbench", "Satellite", "classes"),
  shuttle = table_of("mlbench", "Shuttle", "Class"),
  smokers = table_of("AER", "SmokeBan", "smoker"),
  sonar = table_of("mlbench", "Sonar", "Class"),
  soybean = table_of("mlbench", "Soybean", "Class"),
  spam = table_of("kernlab", "spam", "type"),
  swiss_labor = table_of("AER", "SwissLabor", "participation"),
  titanic = table_of("vcdExtra", "Titanicp", "survived"),
  trains = table_of("Ecdat", "Train", "choice", c("id", "choiceid")),
  treatment = table_of("Ecdat", "Treatment", "treat"),
  usps = shared("usps"),
  vehicle = table_of("mlbench", "Vehicle", "Class"),
  verbal = table_of("lme4", "VerbAgg", "r2", c("id", "item", "resp")),
  vote92 = table_of("pscl", "vote92", "vote"),
  votes = table_of("mlbench", "HouseVotes84", "Class"),
  vowel = table_of("mlbench", "Vowel", "Class", "V1"),
  waveform = generated(function() mlbench::mlbench.waveform(6000)),
  wells = table_of("carData", "Wells", "switch"),
  world_values = table_of("carData", "WVS", "poverty"),
  yogurt = table_of("Ecdat", "Yogurt", "choice", "id")
)
part <- coin(names(makers))

# At most `most` rows to learn and 3,000 to predict; small sets are divided 2 : 1. Levels of fewer than five rows, and
# classes likewise, are left out.
divide <- function(d, most) {
  rows <- if (is.factor(d$y)) which(table(d$y)[d$y] >= 5) else seq_along(d$y)
  train <- sample(rows, min(most, round(2 * length(rows) / 3)))
  test <- setdiff(rows, train)
  test <- test[sample.int(length(test), min(length(test), 3000))]
  x <- d$x
  for (name in names(x)) { # levels that training rows do not have are missing values
    v <- x[[name]]
    if (is.factor(v)) x[[name]] <- factor(v, levels(v)[levels(v) %in% v[train]], ordered = is.ordered(v))
  }
  x <- x[vapply(x[train, , drop = FALSE], function(v) length(unique(stats::na.omit(v))) > 1, NA)]
  y <- if (is.factor(d$y)) droplevels(d$y[c(train, test)]) else d$y[c(train, test)]
  learned <- seq_along(train)
  list(x = x[train, , drop = FALSE], y = y[learned], test_x = x[test, , drop = FALSE], test_y = y[-learned])
}

# Medians and most frequent levels of the rows that are learned in place of missing values, for learners that take none
impute <- function(x, from = x) {
  for (name in names(x)) {
    if (!anyNA(x[[name]])) next
    v <- from[[name]]
    x[[name]][is.na(x[[name]])] <- if (is.factor(v)) names(which.max(table(v))) else stats::median(v, na.rm = TRUE)
  }
  x
}
