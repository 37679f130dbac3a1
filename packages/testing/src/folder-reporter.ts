import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, relative } from 'node:path';
import { DefaultReporter, type TestCase, type TestModule, type TestSpecification } from 'vitest/node';

/** What is still out of a folder's files, and what came of the others. */
interface Folder {
  left: number;
  files: number;
  passed: number;
  failed: number;
  skipped: number;
  ms: number;
}

/**
 * Prints a line for each folder when its last file has ended, and at the end what failed: with what was logged meanwhile, and how loaded
 * the machine was. With a single file or folder it prints each test, as vitest does.
 */
export class FolderReporter extends DefaultReporter {
  readonly #folders = new Map<string, Folder>();
  readonly #loads: string[] = [];
  #isWhole = false;

  constructor() {
    super({ summary: false });
  }

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    for (const { moduleId } of specifications) {
      const folder = this.#folderOf(moduleId);
      folder.left += 1;
      folder.files += 1;
    }
    this.#isWhole = this.#folders.size > 1;
  }

  override onTestCaseResult(test: TestCase): void {
    super.onTestCaseResult(test);
    if (test.result().state === 'failed')
      this.#loads.push(`${test.module.relativeModuleId} > ${test.fullName}: ${describeLoad()}`);
  }

  override printTestModule(module: TestModule): void {
    const folder = this.#folderOf(module.moduleId);
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed' || state === 'failed' || state === 'skipped') folder[state] += 1;
    }
    folder.ms += module.diagnostic().duration;
    folder.left -= 1;
    if (!this.#isWhole) super.printTestModule(module);
    else if (module.state() === 'failed') this.log(`failed: ${module.relativeModuleId}`);
    if (this.#isWhole && folder.left === 0)
      this.log(describeFolder(nameFolder(this.relative(module.moduleId)), folder));
  }

  override reportSummary(...summary: Parameters<DefaultReporter['reportSummary']>): void {
    super.reportSummary(...summary);
    for (const load of this.#loads) this.log(`load when it failed: ${load}`);
  }

  #folderOf(moduleId: string): Folder {
    const name = nameFolder(relative(this.ctx.config.root, moduleId));
    const folder = this.#folders.get(name) ?? { left: 0, files: 0, passed: 0, failed: 0, skipped: 0, ms: 0 };
    this.#folders.set(name, folder);
    return folder;
  }
}

/** `packages/db`, `test/wire`. */
const nameFolder = (path: string) => dirname(path).split('/').slice(0, 2).join('/');

function describeFolder(name: string, { files, passed, failed, skipped, ms }: Folder): string {
  const counts = [
    `${passed} passed`,
    ...(failed ? [`${failed} failed`] : []),
    ...(skipped ? [`${skipped} skipped`] : []),
  ];
  return `${name.padEnd(26)} ${String(files).padStart(3)} files, ${counts.join(', ')}, ${(ms / 1_000).toFixed(1)} s`;
}

/** Processes that run or wait for a CPU, and the part of the last ten seconds in which some waited, if the kernel tells. */
function describeLoad(): string {
  const load = `load ${loadavg()[0]?.toFixed(1)}`;
  try {
    const pressure = /some avg10=([\d.]+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1];
    return pressure === undefined ? load : `${load}, a CPU was waited for in ${pressure} % of the time`;
  } catch {
    return load;
  }
}
