# Completes COMMAND in bash. Each row: options, or a place; the argument's name and what it may be, or -; the help.

_shingletools_COMMAND() {
  local word=${COMP_WORDS[COMP_CWORD]} rows=$'\n' names='' argument='' found='' options each rest='' place=1 words=''
  while IFS=$'\t' read -r options found _; do
    [[ $options == -* ]] && names+="$options "
    rows+="${options/ / $found$'\n'} $found"$'\n'
  done <<'TABLE'
ROWS
TABLE

  # `argument` is what an option before the word takes, `found` what one would take after its =
  for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $each == = ]]; then
      argument=${found#=}
    elif [[ -n $argument ]]; then
      argument=''
    elif [[ $each =~ ^[0-9\&]*[\<\>]+$ ]]; then
      argument='FILE <file>'
    elif [[ -z $rest && $each == -- ]]; then
      rest=yes
    elif [[ -z $rest && $each == -* ]]; then
      found=${rows#*$'\n'"$each "}
      found=${found%%$'\n'*}
      [[ $found == [=-]* ]] || argument=${found#\*}
    else
      ((place++))
    fi
  done
  if [[ $word == = ]]; then
    argument=${found#=} word=''
  elif [[ -z $argument && -z $rest && $word == -* ]]; then
    words=$names
  elif [[ -z $argument ]]; then
    [[ $rows == *$'\n'"$place "* ]] || place='*'
    argument=${rows#*$'\n'"$place "}
    argument=${argument%%$'\n'*}
  fi

  local kinds=()
  for each in ${argument#"${argument%% *}"}; do
    case $each in
      '<file>') kinds+=(-f) ;;
      '<dir>') kinds+=(-d) ;;
      *) words+=" $each" ;;
    esac
  done
  COMPREPLY=()
  [[ ${#kinds[@]} -gt 0 ]] && compopt -o filenames 2>/dev/null
  while IFS= read -r each; do
    COMPREPLY+=("$each")
  done < <(compgen "${kinds[@]}" -W "$words" -- "$word")
}

complete -o bashdefault -o default -F _shingletools_COMMAND COMMAND
