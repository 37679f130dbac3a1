#!/bin/sh
# Builds each image of a release for amd64 and arm64, pushes it with its SBOM and provenance, and signs it by digest; then the chart, which
# names these digests. Run by .github/workflows/release.yml.
#   REGISTRY=ghcr.io/acme/agent-governance-proxy VERSION=0.4.0 publish.sh FOLDER
# FOLDER gets digests.txt, a line `name@digest` for each, and the chart.
set -eu

out=$1
mkdir -p "$out"
: > "$out/digests.txt"

# The Dockerfile names Node's image by its version; a release is built on what that version is now, and says so in its provenance.
node_image=$(sed -n 's/^ARG NODE_IMAGE=//p' Dockerfile)
node_digest=$(docker buildx imagetools inspect "$node_image" --format '{{.Manifest.Digest}}')

# Each image has its title in the Dockerfile.
for image in $(sed -n 's|.*image\.title="agent-governance-proxy/\([a-z-]*\)".*|\1|p' Dockerfile); do
  docker buildx build --target "$image" --platform linux/amd64,linux/arm64 --build-arg "NODE_IMAGE=$node_image@$node_digest" \
    --sbom true --provenance mode=max --tag "$REGISTRY/$image:$VERSION" --push --metadata-file "$out/$image.json" .
  digest=$(node --print 'JSON.parse(fs.readFileSync(process.argv[1]))["containerimage.digest"]' "$out/$image.json")
  cosign sign --yes "$REGISTRY/$image@$digest"
  echo "$REGISTRY/$image@$digest" >> "$out/digests.txt"
done

node .github/release/pin-chart.mjs "$REGISTRY" "$out/digests.txt" "$out/chart"
helm package "$out/chart" --destination "$out"
helm push "$out/agent-governance-proxy-$VERSION.tgz" "oci://$REGISTRY/chart" 2>&1 | tee "$out/chart.txt"
digest=$(sed -n 's/^Digest: //p' "$out/chart.txt")
cosign sign --yes "$REGISTRY/chart/agent-governance-proxy@$digest"
echo "$REGISTRY/chart/agent-governance-proxy@$digest" >> "$out/digests.txt"
