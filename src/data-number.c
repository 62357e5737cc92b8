/* Numbers in text, whatever the locale. Up to 19 digits and a power of ten up to 22 are exact products (Clinger 1990);
 * strtod reads the others. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "data-text.h"

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int read_exponent(const char **at, const char *end, int *exponent) {
  int sign = 1, digits = 0, value = 0;
  if (*at < end && (**at == '+' || **at == '-')) sign = *(*at)++ == '-' ? -1 : 1;
  for (; *at < end && is_digit(**at); ++*at, digits++)
    if (value < 10000) value = 10 * value + (**at - '0');
  *exponent += sign * value;
  return digits > 0;
}

/* By strtod, which reads the decimal point of the locale */
static int read_slowly(const char *at, const char *end, char point, double *value) {
  char token[512];
  const char *local = localeconv()->decimal_point;
  const size_t width = strlen(local);
  size_t length = 0;
  if (at == end || *at == ' ' || *at == '\t') return 0;
  for (; at < end; at++) {
    if (length + width >= sizeof token || (*at != point && (*at == '.' || *at == ',' || *at == '\0'))) return 0;
    if (*at == point) {
      memcpy(token + length, local, width);
      length += width;
    } else {
      token[length++] = *at;
    }
  }
  token[length] = '\0';
  char *rest;
  *value = strtod(token, &rest);
  return *rest == '\0';
}

int osvm_text_number(const char *from, const char *end, char point, double *value) {
  const char *at = from;
  uint64_t mantissa = 0;
  int digits = 0, seen = 0, exponent = 0, negative = 0;
  if (at < end && (*at == '+' || *at == '-')) negative = *at++ == '-';
  for (; at < end && is_digit(*at); at++, seen++)
    if (mantissa > 0 || *at != '0') mantissa = mantissa * 10 + (uint64_t)(*at - '0'), digits++;
  if (at < end && *at == point)
    for (at++; at < end && is_digit(*at); at++, seen++, exponent--)
      if (mantissa > 0 || *at != '0') mantissa = mantissa * 10 + (uint64_t)(*at - '0'), digits++;
  int plain = seen > 0;
  if (plain && at < end && (*at == 'e' || *at == 'E')) {
    at++;
    plain = read_exponent(&at, end, &exponent);
  }
  if (plain && at == end && digits <= 19 && mantissa <= (UINT64_C(1) << 53) && abs(exponent) <= 22) {
    const double whole = (double)mantissa;
    const double size = exponent < 0 ? whole / powers[-exponent] : whole * powers[exponent];
    *value = negative ? -size : size;
    return 1;
  }
  return read_slowly(from, end, point, value);
}
