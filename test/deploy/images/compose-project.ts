import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { workspaceFolder } from '../../workspace/run-tool.ts';
import { type ImageTarget, targets } from './build-images.ts';
import type { Compose } from './find-engine.ts';
import { runCommand } from './run-command.ts';

interface ComposeFile {
  services: Record<string, { image: string }>;
  secrets: Record<string, { file: string }>;
}

const composeFile = join(workspaceFolder, 'docker-compose.yml');
const readComposeFile = (file = composeFile) => parse(readFileSync(file, 'utf8'), { merge: true }) as ComposeFile;

const isOurs = (image: string) => image.startsWith('agent-governance-proxy/');
/** The target that a service's image is built from. */
const toTarget = (image: string) => targets.find((target) => image.startsWith(`agent-governance-proxy/${target}:`));

/** The images of others that the compose file names. */
export const listServerImages = (): string[] =>
  Object.values(readComposeFile().services).flatMap(({ image }) => (isOurs(image) ? [] : [image]));

function editFile(file: string, edit: (text: string) => string): void {
  const text = edit(readFileSync(file, 'utf8'));
  const { mode } = statSync(file);
  rmSync(file);
  writeFileSync(file, text, { mode });
}

export interface ProjectOptions {
  compose: Compose;
  nodeImage: string;
  servers: ReadonlyMap<string, string>;
  toTag: (target: ImageTarget) => string;
  /** This workspace's if not given. */
  composeFile?: string;
}

/** The compose file as a project of its own, with secrets, ports, names and volumes that are nobody else's. */
export class ComposeProject implements AsyncDisposable {
  readonly apiKey: string;
  readonly #name = `agp-images-${process.pid}`;
  readonly #folder = mkdtempSync(join(tmpdir(), 'agp-images-'));
  readonly #options: ProjectOptions;
  readonly #secrets: string;
  #file = composeFile;
  #services: string[] = [];

  private constructor(options: ProjectOptions, secrets: string) {
    this.#options = options;
    this.#secrets = secrets;
    this.apiKey = readFileSync(join(secrets, 'management/management-api-key'), 'utf8').trim();
    this.use(options);
  }

  /** The services that can run: all whose image is there, the simulated provider among them. */
  get services(): readonly string[] {
    return this.#services;
  }

  /** From now on commands are about this compose file and these images, as after a change of the checkout. Nothing is restarted. */
  use({ composeFile: path = composeFile, toTag }: Pick<ProjectOptions, 'composeFile' | 'toTag'>): void {
    const { nodeImage, servers } = this.#options;
    const file = readComposeFile(path);
    this.#file = path;
    this.#services = Object.keys(file.services).filter((name) => {
      const { image = '' } = file.services[name] ?? {};
      return isOurs(image) || servers.has(image);
    });
    const services: Record<string, object> = Object.fromEntries(
      this.#services.map((name) => {
        const { image = '' } = file.services[name] ?? {};
        const target = toTarget(image);
        return [name, { image: target === undefined ? servers.get(image) : toTag(target) }];
      }),
    );
    Object.assign(services.proxy ?? {}, {
      environment: { PROVIDER_OPENAI_URL: 'http://load-provider:8091', MAX_REGISTRATIONS_PER_MINUTE: '10000' },
    });
    // What has no image is left out of "up".
    for (const name of Object.keys(file.services))
      if (!this.#services.includes(name)) services[name] = { profiles: ['missing'] };
    services['load-provider'] = {
      image: nodeImage,
      user: '1000:1000',
      command: ['node', join(workspaceFolder, 'test/deploy/images/load-provider.ts')],
      volumes: [`${workspaceFolder}:${workspaceFolder}:ro`],
      networks: ['edge'],
    };
    this.#services.push('load-provider');
    const given = Object.entries(file.secrets).map(([name, { file: path }]) => [
      name,
      { file: path.replace('./secrets/', `${this.#secrets}/`) },
    ]);
    // JSON is YAML.
    writeFileSync(this.#override, JSON.stringify({ services, secrets: Object.fromEntries(given) }, null, 2));
  }

  static async create(options: ProjectOptions): Promise<ComposeProject> {
    const secrets = mkdtempSync(join(tmpdir(), 'agp-images-secrets-'));
    await runCommand([process.execPath, 'packages/operator/src/commands/secrets.ts', '--folder', secrets]);
    // Debian's NATS is older than this setting, which only says when it writes to disk.
    const isOldNats = [...options.servers].some(([image, used]) => image.startsWith('nats:') && image !== used);
    if (isOldNats) editFile(join(secrets, 'nats/nats.conf'), (text) => text.replace(/^.*sync_interval.*\n/m, ''));
    return new ComposeProject(options, secrets);
  }

  get #override(): string {
    return join(this.#folder, 'override.yml');
  }

  /** Runs a command of compose on this project. @returns what it printed */
  run(...args: string[]): Promise<string> {
    return this.shell(`docker compose ${args.map((arg) => `'${arg}'`).join(' ')}`);
  }

  /** Runs lines of bash, as a page has them, in which `docker compose` means this project. @returns what they printed */
  shell(lines: string): Promise<string> {
    const ports = { PROXY_PORT: '0', MANAGEMENT_PORT: '0', PROMETHEUS_PORT: '0', GRAFANA_PORT: '0' };
    const options = ['--file', this.#file, '--file', this.#override, '--project-directory', workspaceFolder];
    const compose = [...this.#options.compose, '--project-name', this.#name, ...options].join(' ');
    const ours = `docker() { if [ "$1" = compose ]; then shift; command ${compose} "$@"; else command docker "$@"; fi; }`;
    return runCommand(['bash', '-euc', `${ours}\n${lines}`], { env: { ...ports, COMPOSE_PROFILES: 'demo' } });
  }

  /** The ids of a service's containers, or of all. */
  async containers(...service: string[]): Promise<string[]> {
    return (await this.run('ps', '--quiet', ...service)).split('\n').filter(Boolean);
  }

  /** Where a port of a service's only container is published, as `http://127.0.0.1:port`. */
  async urlOf(service: string, port: number): Promise<string> {
    const [container = ''] = await this.containers(service);
    const [published = ''] = (await runCommand(['docker', 'port', container, `${port}/tcp`])).split('\n');
    return `http://${published}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run('down', '--volumes', '--remove-orphans', '--timeout', '1');
    rmSync(this.#folder, { recursive: true });
    rmSync(this.#secrets, { recursive: true });
  }
}
