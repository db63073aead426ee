#compdef COMMAND
# Completes COMMAND in zsh. Each row: options, or a place; the argument's name and what it may be, or -; the help.

local names option argument name help action
local -a specs choices kinds # neither options nor words, which zsh has itself
while IFS=$'\t' read -r names argument help; do
  help=${${${help//:/\\:}//\[/\\[}//\]/\\]}
  choices=(${=argument}) kinds=() action=
  name=$choices[1]
  shift choices
  (( $choices[(Ie)<file>] )) && action=_files kinds=('files\:file\:_files')
  (( $choices[(Ie)<dir>] )) && action='_files -/'
  choices=(${choices:#<*>})
  [[ -n $choices ]] && action="($choices)"
  [[ -n $choices && -n $kinds ]] && action="_alternative 'words\:word\:($choices)' '$kinds'"
  for option in ${=names}; do
    case $option$name in
      [^-]*) specs+=("$option:$help:$action") ;;
      *-) specs+=("($names)${option}[$help]") ;;
      *=[A-Z]*) specs+=("($names)$option=-[$help]::${name#=}:$action") ;;
      *\**) specs+=("*${option}[$help]:${name#\*}:$action") ;;
      *) specs+=("($names)${option}[$help]:$name:$action") ;;
    esac
  done
done <<'TABLE'
ROWS
TABLE
_arguments -s $specs
