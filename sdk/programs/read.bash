# Reads programs.txt for `build` and `run`, which source this file.
# shellcheck shell=bash disable=SC2034

declare -A field=()
packages=() libraries=() programs=() rows=()

# Fills `field` ("KIND NAME KEY" to value; lines of the same key are joined) and the lists of names.
read_description() {
  local line kind="" name="" key value number=0
  while IFS= read -r line; do
    number=$((number + 1))
    line=${line%%#*}
    read -r key value <<<"$line"
    [ -n "$key" ] || continue
    if [ "${line:0:1}" != " " ]; then
      kind=$key name=$value
      case $kind in
        package) packages+=("$name") ;;
        library) libraries+=("$name") ;;
        program) programs+=("$name") ;;
        row) rows+=("$name") ;;
        *) fail "$1, line $number: $line" ;;
      esac
      continue
    fi
    case $key in
      given | host | run | same) field[$kind $name $key]+=$value$'\n' ;;
      *) field[$kind $name $key]+=" $value" ;;
    esac
  done <"$1"
}

# Prints what programs.txt says of "KIND NAME KEY".
get() {
  local value=${field[$1]:-}
  echo "${value# }"
}

# Replaces {here}, {sources} and {PACKAGE} in what programs.txt says by their folders.
expand() {
  local text=$1 package
  text=${text//\{here\}/$here}
  text=${text//\{sources\}/$sources}
  for package in "${packages[@]}"; do text=${text//\{$package\}/$sources/$package}; done
  echo "$text"
}

fail() {
  echo "error: $*" >&2
  exit 1
}
