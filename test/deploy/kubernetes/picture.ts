const services = ['proxy', 'writer', 'management'];
const commands = ['migrate', 'maintain'];

/** Who may connect to whom; docs/deploy.md has it as a table. */
export const picture = [
  'ingress -> proxy 8080/TCP',
  'ingress -> management 8081/TCP',
  'monitoring -> proxy 9080/TCP',
  'monitoring -> management 9081/TCP',
  'monitoring -> writer 9082/TCP',
  'proxy -> provider 443/TCP',
  'proxy -> provider-v6 443/TCP',
  ...services.flatMap((name) => [`${name} -> nats 4222/TCP`, `${name} -> redis 6379/TCP`]),
  ...[...services, ...commands].flatMap((name) => [
    `${name} -> postgres 5432/TCP`,
    `${name} -> dns 53/TCP`,
    `${name} -> dns 53/UDP`,
  ]),
].sort();

/** In a trial, where Grafana reads the database beside the services, and a provider is simulated. */
export const localPicture = [...picture, 'monitoring -> postgres 5432/TCP', 'proxy -> demo-provider 8090/TCP'].sort();

/** What a command reaches that an operator runs in the cluster: k8s/operator. */
export const operatorPicture = ['dns 53/TCP', 'dns 53/UDP', 'nats 4222/TCP', 'postgres 5432/TCP'].map(
  (to) => `operator -> ${to}`,
);
