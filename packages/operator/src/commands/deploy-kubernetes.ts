import { relative, resolve } from 'node:path';
import { listTrialCommands, loaders, type Step } from '../kubernetes/list-commands.ts';
import { planDeployment } from '../kubernetes/plan-deployment.ts';
import { deploymentOptions } from '../kubernetes/read-deployment.ts';
import { writeOverlay } from '../kubernetes/write-overlay.ts';
import { print, runCommand, UsageError } from '../run-command.ts';

const repositoryRoot = resolve(import.meta.dirname, '../../../..');

const help = `Writes an overlay for Kubernetes, which you keep in git, and prints the commands from nothing to the first recorded request.

usage: npm run deploy:kubernetes -- --trial kind      everything in the cluster: nothing is written, the commands are printed
       npm run deploy:kubernetes -- --host agents.example.com --registry registry.example.com/agp --ingress nginx --issuer letsencrypt
         --postgres db.example.com:5432 --postgres-network 10.20.0.0/24 --nats nats.nats.svc:4222 --redis redis.redis.svc:6379

  --trial <${Object.keys(loaders).join('|')}>      how images get into the nodes of your cluster

  --host <name>                     of the proxy
  --registry <host/path>            where images are pushed to; --pull-secret <name> of the Secret with its password
  --ingress <nginx|haproxy|traefik|gateway>
                                    --ingress-namespace <name> where its pods run; --ingress-class <name>, or --gateway <namespace/name>
  --issuer <name>                   a ClusterIssuer of cert-manager; or --certificate <file> and --certificate-key <file>
  --management-host <name>          with --management-class <name> or --management-gateway <namespace/name>, which should not be the
                                    public's, and --management-ingress-namespace if its pods run elsewhere; without a host
                                    management is reached by kubectl port-forward
  --oidc-issuer <url>               an OpenID provider for signing in to the console at the management host; --oidc-client <id>,
                                    --oidc-secret <file> where the client has one, --oidc-network <cidr,...> if its addresses are private
  --postgres, --nats, --redis <host:port>
                                    several of a cluster as host:port,host:port; Redis' sentinels as sentinel://host:port,host:port/mymaster,
                                    and --redis-port of the servers that they lead to, if not 6379
                                    in the cluster as service.namespace.svc:port; outside it each needs the subnets that it stands in:
  --postgres-network, --nats-network, --redis-network <cidr,...>
  --database <name>                 agp if not given
  --plain <postgres,nats,redis>     servers outside that have no TLS
  --authority <file>                certificates of your own authority for these servers
  --admin-url <file>                with the URL of an administrator of Postgres: the cluster makes the roles. Else you do
  --provider-keys <id,...>          the proxy holds the keys of these providers: files of these names in provider-keys/
  --keda <host:port>                NATS' monitoring endpoint: writers are scaled by what waits there, else by their CPU
  --pod-monitor                     for the Prometheus operator; --monitoring-namespace <name> where Prometheus runs
  --folder <path>                   k8s/overlays/mine if not given; --overwrite what is there

Exit codes: 0 done, 1 failed, 2 wrong usage.`;

function show(steps: readonly Step[]): void {
  const lines = steps.map((step, place) => {
    const text = 'byHand' in step ? ['by hand:', ...step.byHand].join('\n#    - ') : `${step.why}\n${step.command}`;
    return `# ${place + 1}. ${text}`;
  });
  print(`Run these in ${repositoryRoot}:\n\n${lines.join('\n\n')}`);
}

await runCommand({
  help,
  options: {
    ...deploymentOptions,
    trial: { type: 'string' },
    folder: { type: 'string' },
    overwrite: { type: 'boolean' },
  },
  run({ trial, folder, overwrite = false, ...given }) {
    if (trial !== undefined) {
      if (!Object.hasOwn(loaders, trial))
        throw new UsageError(`--trial: ${trial} must be one of ${Object.keys(loaders).join(', ')}`);
      show(listTrialCommands(trial as keyof typeof loaders));
      return;
    }
    const plan = planDeployment(given, { root: repositoryRoot, folder });
    for (const file of writeOverlay(plan.folder, plan.files, { overwrite }))
      print(`written ${relative(repositoryRoot, file)}`);
    show(plan.steps);
  },
});
