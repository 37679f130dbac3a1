#!/bin/sh
# Packs a release for a place without a network: each image of digests.txt for both platforms, the chart, the compose file with what it
# mounts, the price table, and their checksums.
#   VERSION=0.4.0 bundle.sh FOLDER    FOLDER is publish.sh's; it gets agent-governance-proxy-VERSION-offline.tar
set -eu

out=$1
bundle=$out/agent-governance-proxy-$VERSION-offline
mkdir -p "$bundle/images"
grep -v '/chart/' "$out/digests.txt" | while read -r image; do
  name=${image%@*}
  skopeo copy --all "docker://$image" "oci-archive:$bundle/images/${name##*/}.tar:$name:$VERSION"
done
cp "$out/agent-governance-proxy-$VERSION.tgz" "$out/digests.txt" docker-compose.yml "$bundle/"
cp -R packages/operator/balancer packages/monitoring/prometheus packages/monitoring/grafana "$bundle/"
node .github/release/price-table.mjs > "$bundle/prices.json"
(cd "$bundle" && find . -type f ! -name SHA256SUMS -exec sha256sum {} + | sort -k 2 > SHA256SUMS)
tar --create --file "$bundle.tar" --directory "$out" "$(basename "$bundle")"
