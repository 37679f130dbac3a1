#!/bin/sh
# What an image holds of the workspace follows from the dependencies in the package.json of what it runs: the Dockerfile names that
# package, and no other. It is run in a folder that holds manifests in modules/, the pinned pnpm in tools/, and the workspace in sources/.
#   tree.sh modules NAME      installs what @agp/NAME needs in production, and leaves the manifests of that alone
#   tree.sh sources [PATH...] copies the sources that belong to these manifests to image/, and what else is named
set -eu

modules() {
  cd modules
  pnpm=../tools/node_modules/.bin/pnpm
  # --filter would follow devDependencies into the local stack, and install what that needs.
  $pnpm install --frozen-lockfile --prod --no-optional --ignore-scripts --filter-prod "@agp/$1..."
  needed=$($pnpm --filter-prod "@agp/$1..." ls --depth -1 --parseable)
  for manifest in packages/*/package.json services/*/package.json; do
    folder=${manifest%/package.json}
    printf '%s\n' "$needed" | grep -q "/$folder\$" || rm -r "$folder"
  done
  # What only people, compilers and debuggers read.
  find . -type f -regextype egrep -regex '.*\.(map|d\.[cm]?ts|md)' ! -iname 'licen[cs]e*' -delete
}

sources() {
  folders=$(cd modules && ls -d packages/*/package.json services/*/package.json 2> /dev/null | sed 's|/package.json$||')
  for path in LICENSE $folders "$@"; do
    mkdir -p "image/$(dirname "$path")"
    cp -R "sources/$path" "image/$path"
  done
  # Readable in the image even if the clone was made under a strict umask.
  chmod -R u=rwX,go=rX image
}

"$@"
