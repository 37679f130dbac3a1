// Prints the text of a release: its part of the CHANGELOG, what to do first, the digests, and how to check who built them.
//   node write-notes.mjs VERSION REPOSITORY DIGESTS_FILE     REPOSITORY such as acme/agent-governance-proxy
import { readFileSync } from 'node:fs';

const [, , version, repository, digestsFile] = process.argv;
const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
const [, part] = changelog.split(new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\].*$`, 'm'));
if (part === undefined) {
  console.error(`CHANGELOG.md has no part ${version}`);
  process.exit(1);
}
const [notes] = part.split(/^## \[/m);
const digests = readFileSync(digestsFile, 'utf8').trim().split('\n');
const identity = `https://github.com/${repository}/.github/workflows/release.yml@refs/tags/v${version}`;

console.log(`${notes.trim()}

## Verify what you run

Images and chart are signed by the workflow that built them, without a key:

\`\`\`sh
for image in \\
  ${digests.join(' \\\n  ')}
do
  cosign verify "$image" --certificate-identity ${identity} \\
    --certificate-oidc-issuer https://token.actions.githubusercontent.com > /dev/null && echo "$image: good" || break
done
\`\`\`

Their SBOM and provenance: \`docker buildx imagetools inspect IMAGE --format '{{json .SBOM}}'\` (or \`.Provenance\`). The archive for places
without a network has a signature of its own:

\`\`\`sh
cosign verify-blob agent-governance-proxy-${version}-offline.tar --bundle agent-governance-proxy-${version}-offline.sigstore.json \\
  --certificate-identity ${identity} --certificate-oidc-issuer https://token.actions.githubusercontent.com
\`\`\``);
