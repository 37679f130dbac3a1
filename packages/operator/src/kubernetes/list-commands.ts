import { type Deployment, type Entry, serverNames } from './deployment.ts';

/** A command, and why. */
export interface Command {
  why: string;
  command: string;
}
/** A command, or what people do by hand. */
export type Step = Command | { byHand: string[] };

const images = 'proxy writer management migrate maintenance';
const ask = '{"model":"gpt-5-mini","messages":[{"role":"user","content":"Hello"}]}';
/** Read when the command runs: after an upgrade the same command makes the new version's images. */
const readVersion = 'version=$(node -p \'require("./package.json").version\')';
const keyFile = 'secrets/management/management-api-key';
/** A text that a shell takes as it is. */
export const quote = (text: string) => (/^[\w./:=,@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Options that are files, which `npm run secrets` takes into its folder. */
interface SecretFiles {
  certificate?: string | undefined;
  certificateKey?: string | undefined;
  adminUrl?: string | undefined;
  oidcSecret?: string | undefined;
  /** The folder with a file for each provider's key, named after it. */
  providerKeysFolder: string;
}

const applyAnd = (folder: string): Command[] => [
  { why: 'apply it all', command: `kubectl apply -k ${quote(folder)}` },
  {
    why: 'wait until the proxy has its schema and serves',
    command: 'kubectl --namespace agp rollout status deployment/proxy --timeout 10m',
  },
];

function makeSecrets(deployment: Deployment, files: SecretFiles): string {
  const { servers, providerKeys, database, hasAuthority } = deployment;
  const withTls = serverNames.filter((name) => servers[name].tls);
  const added: [string, string | undefined][] = [
    ['admin/database-url', files.adminUrl],
    ['management/oidc-client-secret', files.oidcSecret],
    ['proxy-tls/tls.crt', files.certificate],
    ['proxy-tls/tls.key', files.certificateKey],
    ...providerKeys.map((id): [string, string] => [`provider-keys/${id}`, `${files.providerKeysFolder}/${id}`]),
  ];
  return [
    'npm run --silent secrets -- --kubernetes --with-namespace',
    ...serverNames.map((name) => `--${name} ${servers[name].text}`),
    ...(database === 'agp' ? [] : [`--database ${database}`]),
    ...(withTls.length === 0 ? [] : [`--tls ${withTls.join()}`]),
    ...(hasAuthority ? ['--authority'] : []),
    ...added.filter(([, file]) => file !== undefined).map(([path, file]) => `--add ${quote(`${path}=${file}`)}`),
    '| kubectl apply -f -',
  ].join(' ');
}

/** What a controller is told in its own configuration, which no component reaches. */
const controllerSettings: Record<Entry['kind'], string | null> = {
  nginx: null,
  haproxy: "give timeout-client: 660s to the controller's ConfigMap, else streams end that are silent for longer",
  traefik:
    "give Traefik's entry point, which is called websecure, transport.respondingTimeouts.readTimeout=310s, else bodies fail that take longer than a minute",
  gateway:
    'call the listener of each Gateway https, let routes of the namespace agp in by its allowedRoutes, and make its idle timeout 660 seconds if it has one',
};

/** From nothing to the first recorded request in production; at most eight commands, and what no command does. */
export function listCommands(deployment: Deployment, files: SecretFiles, folder: string): Step[] {
  const { proxy, management, servers, registry, createsRoles, database, hasAuthority } = deployment;
  const parameters = servers.postgres.tls
    ? `?sslmode=verify-full${hasAuthority ? `&sslrootcert=${folder}/ca.crt` : ''}`
    : '';
  const adminUrl = `postgres://ADMIN:PASSWORD@${servers.postgres.text}/${database}${parameters}`;
  const api = management ? `https://${management.host}` : 'http://127.0.0.1:8081';
  return [
    {
      why: 'build the images and push them',
      command: `${readVersion}; for image in ${images}; do docker build --target $image --tag ${registry}/$image:$version . && docker push ${registry}/$image:$version || break; done`,
    },
    {
      why: 'make the namespace, and passwords and keys in secrets/, which is not for git',
      command: makeSecrets(deployment, files),
    },
    {
      byHand: [
        'give each of the three NATS servers, a cluster with JetStream, the part "authorization" of secrets/nats/nats.conf; its other parts are for a single server',
        'give secrets/redis/users.acl to Redis as its aclfile',
        controllerSettings[proxy.kind],
      ].filter((each) => each !== null),
    },
    ...(createsRoles
      ? []
      : [
          {
            why: 'make the database and its roles, as an administrator of Postgres',
            command: `DATABASE_URL='${adminUrl}' npm run create-roles -- --folder secrets`,
          },
        ]),
    ...applyAnd(folder),
    ...(management
      ? []
      : [
          {
            why: 'reach the management API, which has no host',
            command: 'kubectl --namespace agp port-forward service/management 8081 &',
          },
        ]),
    {
      why: "make the first agent's token",
      command: `AGP_URL=${api} AGP_API_KEY_FILE=${keyFile} npm run agp -- tokens create first-agent`,
    },
    {
      why: 'send a request through the proxy, with that token; the answer names its event: X-Event-Id',
      command: [
        `curl -si https://${proxy.host}/openai/v1/chat/completions -H 'Content-Type: application/json'`,
        `-H 'X-Agent-Name: first-agent' -H 'X-Agent-Token: TOKEN' -H "Authorization: Bearer $OPENAI_API_KEY" -d '${ask}'`,
      ].join(' '),
    },
  ];
}

/** How images get from Docker into the nodes of a cluster for trials. */
export const loaders = {
  kind: 'kind load docker-image',
  minikube: 'minikube image load',
  k3d: 'k3d image import',
} as const;

/** From nothing to the first recorded request in a trial, with every server in the cluster. */
export function listTrialCommands(loader: keyof typeof loaders): Command[] {
  const image = 'localhost/agent-governance-proxy/$image:$version';
  return [
    {
      why: 'build the images and load them into the nodes',
      command: `${readVersion}; for image in ${images} demo-provider; do docker build --target $image --tag ${image} . && ${loaders[loader]} ${image} || break; done`,
    },
    {
      why: 'make the namespace, and passwords and keys in secrets/trial/',
      command: 'npm run --silent secrets -- --folder secrets/trial --kubernetes --with-namespace | kubectl apply -f -',
    },
    ...applyAnd('k8s/overlays/local'),
    { why: 'reach the proxy', command: 'kubectl --namespace agp port-forward service/proxy 8080 &' },
    {
      why: 'send a request to the simulated provider',
      command: `curl -si http://127.0.0.1:8080/demo/v1/chat/completions -H 'Content-Type: application/json' -H 'X-Agent-Name: first-agent' -d '${ask}'`,
    },
    {
      why: 'reach the management API',
      command: 'kubectl --namespace agp port-forward service/management 8081 &',
    },
    {
      why: 'see what was recorded',
      command: `AGP_URL=http://127.0.0.1:8081 AGP_API_KEY_FILE=${keyFile.replace('secrets', 'secrets/trial')} npm run agp -- events list`,
    },
  ];
}
