# SPDX-License-Identifier: Apache-2.0
# bash completion for nprof.  Everything comes from nprof itself: commands and options from
# its help, names and options of components from `nprof plugins`.

_nprof_commands () { nprof help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p'; }

_nprof_flags () {
  nprof "$1" --help-all 2>/dev/null \
    | sed -n -e 's/^  \(-[a-z]\), \(--[a-z-]*\).*/\1\n\2/p' -e 's/^  \(--[a-z-]*\).*/\1/p'
}

# Words that may stand for `$2`, which is NAME[:KEY=VALUE,...] of a component of kind $1.
_nprof_component () {
  local kind=$1 word=$2 name=${2%%:*} last before key type range _
  if [[ $word != *:* ]]; then
    nprof plugins --names "$kind" 2>/dev/null
    return
  fi
  last=${word#*:} last=${last##*,} before=${word%"$last"}
  nprof plugins --options "$kind/$name" 2>/dev/null | tr '\t' '\037' \
    | while IFS=$'\037' read -r key type range _; do
    [[ $type == bool ]] && range='yes|no'
    if [[ $last != *=* ]]; then
      printf '%s\n' "$before$key="
    elif [[ $key == "${last%%=*}" && ( $type == bool || $type == choice ) ]]; then
      printf '%s\n' "$before$key=${range//|/$'\n'$before$key=}"
    fi
  done
}

# The values of option $2 of command $1, where its help lists them: "text, markdown or json (...)".
_nprof_values () {
  case $2 in
  --only) nprof report --tables 2>/dev/null | sed 's/ .*//'; return ;;
  --style) nprof plugins --names sink 2>/dev/null | sed -n 's/^report-//p'; return ;;
  esac
  local listed
  listed=$(nprof "$1" --help-all 2>/dev/null | sed -n "s/^  \(-[a-z], \)\{0,1\}$2=[A-Z]*  *//p" \
    | sed -e 's/;.*//' -e 's/ *([^)]*)//g' -e 's/^.*: //' -e 's/ or /, /' -e 's/, */\n/g')
  grep -qv '^[a-z0-9-]*$' <<<"$listed" || printf '%s\n' "$listed"
}

# The names that command $1 takes before its files.
_nprof_names () {
  case $1 in
  new) printf '%s\n' decoder analyzer sink ;;
  help) _nprof_commands ;;
  profiles) printf '%s\n' list rm rename tag ;;
  baseline) printf '%s\n' list save rm ;;
  answers) nprof answers 2>/dev/null | sed 's/ .*//' ;;
  ask) nprof ask --list 2>/dev/null | sed -n 's/^| `\([a-z]*\)`.*/\1/p' ;;
  esac
}

_nprof () {
  local line=${COMP_LINE:0:COMP_POINT} word previous option= candidates=
  local -a words
  # readline cuts words at : and = as well, which belong to ours
  read -r -a words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  local n=${#words[@]}
  word=${words[n - 1]} previous=${words[n - 2]}
  if [[ $word == --*=* ]]; then
    option=${word%%=*}= previous=${word%%=*} word=${word#*=}
  fi

  if [[ $n -eq 2 ]]; then
    candidates=$(_nprof_commands)
  elif [[ ${words[1]} == plugins && $word != -* ]]; then
    candidates=$(nprof plugins --names 2>/dev/null)
    [[ $word == */* ]] || candidates=$(sed 's|.*/||' <<<"$candidates" | sort -u)
    [[ $n -gt 3 ]] || candidates+=$'\ninstall\nlist\ndisable\nenable\nremove'
  else
    case $previous in
    -d | --decoder) candidates=$(_nprof_component decoder "$word") ;;
    -a | --analyzer) candidates=$(_nprof_component analyzer "$word") ;;
    -s | --sink) [[ ${words[1]} == view || ${words[1]} == capture ]] || candidates=$(_nprof_component sink "$word") ;;
    --*) candidates=$(_nprof_values "${words[1]}" "$previous") ;;
    esac
    # --only takes several names
    [[ $previous != --only || $word != *,* ]] || candidates=$(sed "s/^/${word%,*},/" <<<"$candidates")
    if [[ $word == -* && -z $option ]]; then
      candidates=$(_nprof_flags "${words[1]}")
    elif [[ $word == n_* ]]; then
      candidates=$(nprof profiles list 2>/dev/null | grep -o '^n_[0-9a-f]*')
    elif [[ -z $candidates && $n -eq 3 ]]; then
      candidates=$(_nprof_names "${words[1]}")
    fi
  fi

  # readline replaces only what follows the last : or =
  local whole=$option$word cut=0 candidate
  [[ $whole == *[:=]* ]] && whole=${whole%"${whole##*[:=]}"} cut=${#whole}
  COMPREPLY=()
  while IFS= read -r candidate; do
    [[ -n $candidate && $candidate == "$word"* ]] || continue
    [[ $candidate == *= ]] && compopt -o nospace
    candidate=$option$candidate
    COMPREPLY+=("${candidate:cut}")
  done <<<"$candidates"
}

complete -o bashdefault -o default -F _nprof nprof
