# Marks the comment that describes a header for Doxygen, which would give it to the namespace below it: that of /// lines
# just above `namespace`, or in C the first /** block.
/^\/\/\// { held = held $0 "\n"; next }
held != "" {
  if (/^namespace [a-z]+ *\{/ && !marked) { printf "/// @file\n"; marked = 1 }
  printf "%s", held
  held = ""
}
/^\/\*\* / && FILENAME ~ /\.h$/ && !marked { sub(/^\/\*\* /, "/** @file\n "); marked = 1 }
{ print }
END { printf "%s", held }
