import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { workspaceFolder } from '../../workspace/run-tool.ts';

interface Program {
  path: string;
  /** A folder of the libraries that it comes with. */
  libraries?: string;
}

/** Those of a system, for machines that the registry's package has no program for. */
const installed = ['chromium', 'chromium-headless-shell', 'google-chrome'];

/** Whether a Chromium can be had on this machine without installing one. */
export const hasBrowser = (): boolean => isPackaged() || findInstalled() !== null;

const isPackaged = () => process.platform === 'linux' && process.arch === 'x64';

function findInstalled(): string | null {
  const found = installed.map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout?.trim());
  return found.find((path) => path) ?? null;
}

/** Unpacks the registry's package once; test files that do so at the same time each have a whole one. */
async function unpack(): Promise<Program> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const folder = join(workspaceFolder, 'node_modules/.cache-chromium');
  if (!existsSync(folder)) {
    const { inflate } = await import('@sparticuz/chromium');
    const unpacked = mkdtempSync(`${folder}-`);
    // The package unpacks into the temporary folder, under names that anybody could have taken there.
    const { TMPDIR } = process.env;
    process.env.TMPDIR = unpacked;
    const bin = join(entry, '../../bin');
    await Promise.all(['chromium.br', 'al2023.tar.br'].map((name) => inflate(join(bin, name))));
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    try {
      renameSync(unpacked, folder);
    } catch {
      rmSync(unpacked, { recursive: true });
    }
  }
  return { path: join(folder, 'chromium'), libraries: join(folder, 'al2023/lib') };
}

/** Host names that mean this machine to the browser, as a hostile name server would have them. */
export const hostileNames = ['evil.test', 'rebound.test'];

let lent: Promise<Browser> | undefined;

/**
 * A Chromium for one test file, or one story. Files of a worker of vitest get the same one after each other, which ends with the worker: to
 * start one costs as much as ten pages.
 */
export async function borrowBrowser(): Promise<{ browser: Browser } & AsyncDisposable> {
  const isShared = process.env.VITEST !== undefined;
  if (lent === undefined || !isShared) lent = startBrowser();
  const browser = await lent;
  const giveBack = async () => {
    if (isShared) await Promise.all(browser.contexts().map((context) => context.close()));
    else await browser.close();
  };
  return { browser, [Symbol.asyncDispose]: giveBack };
}

/** Starts a Chromium without a window. */
export async function startBrowser(): Promise<Browser> {
  const { path, libraries } = isPackaged() ? await unpack() : { path: findInstalled() ?? '', libraries: undefined };
  const rules = hostileNames.map((name) => `MAP ${name} 127.0.0.1`).join(', ');
  return chromium.launch({
    executablePath: path,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--use-gl=disabled',
      `--host-resolver-rules=${rules}`,
      // This one browser asks its user before a page may reach this machine; what holds must hold in all others.
      '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWarn',
    ],
    env: { ...process.env, ...(libraries && { LD_LIBRARY_PATH: libraries }) } as Record<string, string>,
  });
}
