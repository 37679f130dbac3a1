import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readLocalStackConfig } from '@agp/local-stack';
import { MissingServerError } from '@agp/local-stack/servers';
import { waitFor } from './wait-for.ts';

export type CodingAgent = 'claude' | 'codex';

interface Package {
  name: string;
  version: string;
  /** Within the package. */
  file: string;
  integrity: string;
}

const claude = (platform: string, integrity: string): Package => ({
  ...{ name: `@anthropic-ai/claude-code-${platform}`, version: '2.1.332', file: 'claude', integrity },
});
const codex = (platform: string, target: string, integrity: string): Package => ({
  ...{ name: '@openai/codex', version: `0.171.0-${platform}`, file: `vendor/${target}/bin/codex`, integrity },
});

/** What users run, by platform: too large to be dependencies, 360 MB packed and 770 MB unpacked. */
export const packages: Record<string, Record<CodingAgent, Package>> = {
  'linux-x64': {
    claude: claude(
      'linux-x64',
      'sha512-f4JWhzwYutJIHScC7/dYOPX6s28tt7ZADhsOi8zwOHq5fFPEuUeChh2NMfinSg0GrUckYxaeebC4h0DqiKzLcw==',
    ),
    codex: codex(
      'linux-x64',
      'x86_64-unknown-linux-musl',
      'sha512-l66NZkQgdk2C3pbcfULDz42yEUB581MVA6I+Y43Wp4OIqEy73HCdmZ0GTjeAHY2ycuH4N00d9VsLrwT1jxshTw==',
    ),
  },
  'linux-arm64': {
    claude: claude(
      'linux-arm64',
      'sha512-BlHNEtK38KBPWU31F4lUSS9sHclCyfWbThT1CErvxxH8+XcljYLZlQwdyXBkTD62rw1TgfE1u1a+quMWS0NSJg==',
    ),
    codex: codex(
      'linux-arm64',
      'aarch64-unknown-linux-musl',
      'sha512-9z17t4bbUJ9UCIb49O4PoA+ki+45q3rd8nZ8PeH6sYnlKkBld/Xpo/OS3h3Ti954+foshX4o7k5TCU8N7zzqQA==',
    ),
  },
  'darwin-arm64': {
    claude: claude(
      'darwin-arm64',
      'sha512-L/F5mypyB7SK59cesiAqGv1bVNd+8xTn0LF5kV6EGL6UMhofVJMFlokhDRoxNzANNC5i/5JdzfJyDOKUbZObiA==',
    ),
    codex: codex(
      'darwin-arm64',
      'aarch64-apple-darwin',
      'sha512-hIYTkRUpuYpkVfTq4cpby0PXqhAVcIgE7f6FoyY1lt2RyARj3GXS1Can/dIYUBItVhXzhb98HYHZNzCX74QRlQ==',
    ),
  },
};

/** One program installs, while others wait for it; of two that take a dead one's lock at once, both install, and the first to finish wins. */
async function tryLock(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const pid = Number(await readFile(file, 'utf8').catch(() => ''));
    try {
      if (pid > 0) process.kill(pid, 0);
    } catch {
      await rm(file, { force: true });
    }
    return false;
  }
}

/** npm takes them from the registry that it is configured with, and refuses what is not as the table says. */
async function install(
  wanted: Package[],
  folder: string,
  target: string,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const work = await mkdtemp(join(folder, 'partial-'));
  try {
    const dependencies = Object.fromEntries(wanted.map(({ name, version }) => [name, version]));
    const locked = wanted.map(({ name, version, integrity }) => [`node_modules/${name}`, { version, integrity }]);
    const lock = { lockfileVersion: 3, packages: { '': { dependencies }, ...Object.fromEntries(locked) } };
    await writeFile(join(work, 'package.json'), JSON.stringify({ private: true, dependencies }));
    await writeFile(join(work, 'package-lock.json'), JSON.stringify(lock));
    const args = ['ci', '--prefix', work, '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', args, { cwd: work, env: environment });
    await rename(work, target).catch((error: NodeJS.ErrnoException) => {
      if (!existsSync(target)) throw error;
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/EINTEGRITY/.test(message)) throw error;
    throw new MissingServerError(`Could not get Codex and Claude Code: ${message}`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Installs Codex and Claude Code into the data folder unless it has them; files that need them at once wait for the one that installs.
 *
 * @returns their files
 * @throws MissingServerError if there are none for this platform, or the registry does not give them
 */
export async function installCodingAgents(
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Record<CodingAgent, string>> {
  const config = readLocalStackConfig(environment, (line) => console.log(`coding agents: ${line}`));
  const wanted = packages[`${process.platform}-${process.arch}`];
  if (!wanted) throw new MissingServerError(`There is no Claude Code for ${process.platform} ${process.arch} here.`);
  const folder = join(config.dataFolder, 'coding-agents');
  const target = join(folder, `${wanted.claude.version}-${wanted.codex.version}`);
  const lock = join(folder, 'installing');
  await mkdir(folder, { recursive: true });
  await waitFor('the install of Codex and Claude Code', async () => {
    if (existsSync(target)) return true;
    if (!(await tryLock(lock))) return false;
    try {
      if (existsSync(target)) return true;
      config.report('installing Codex and Claude Code (once)');
      await install(Object.values(wanted), folder, target, environment);
      return true;
    } finally {
      await rm(lock, { force: true });
    }
  });
  const toFile = ({ name, file }: Package) => join(target, 'node_modules', name, file);
  return { claude: toFile(wanted.claude), codex: toFile(wanted.codex) };
}
