#!/bin/sh
#XCE --name pi
# Estimates pi in quarters and says how far it is. PI_TERMS comes from the profile, the method is an app param,
# and each element of the array draws other numbers (montecarlo) or takes other terms (leibniz).
exec awk -v element="${XCE_JOB_INDEX:-0}" -v terms="$PI_TERMS" -v method="$XCE_APP_PARAM_METHOD" '
function term(k) { return (k % 2 ? -4 : 4) / (2 * k + 1) }
BEGIN {
  srand(element)
  printf "element %s: %s terms by %s\n", element, terms, method
  for (k = 0; k < terms; k++) {
    if (method == "leibniz") sum += term(k)
    else if (rand() ^ 2 + rand() ^ 2 < 1) sum += 4 / terms
    if ((k + 1) % (terms / 4) == 0) { printf "%3d %% done\n", 100 * (k + 1) / terms; fflush() }
  }
  printf "pi is about %.4f\n", sum
  exit (sum > 3.1 && sum < 3.2) ? 0 : 3
}'
