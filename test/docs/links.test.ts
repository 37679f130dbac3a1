import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles } from '../workspace/list-files.ts';
import { workspaceFolder } from '../workspace/run-tool.ts';

const files = listFiles();
const pages = files.filter((path) => path.endsWith('.md') && !path.startsWith('.github/'));
const read = (path: string) => readFileSync(join(workspaceFolder, path), 'utf8');

/** The anchors of a page's headings, as GitHub makes them. */
function listAnchors(path: string): Set<string> {
  const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** The links of a page that lead into the repository, each as a file and an anchor, which may be empty. */
function listLinks(path: string): { link: string; file: string; anchor: string }[] {
  return [...read(path).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [target = '', anchor = ''] = link.split('#');
      return { link, file: target === '' ? path : join(dirname(path), target), anchor };
    });
}

test.each(pages)('every link of %s leads to a file, and to a heading of it', (path) => {
  const broken = listLinks(path).filter(
    ({ file, anchor }) => !existsSync(join(workspaceFolder, file)) || (anchor !== '' && !listAnchors(file).has(anchor)),
  );
  expect(broken.map(({ link }) => link)).toEqual([]);
});

/** Where the pages about the architecture name files from, beside the root. */
const bases = ['', 'services/proxy/src/', 'services/writer/src/', 'packages/db/src/', 'packages/core/src/'];

/** What a page names: a path with a slash, or a source file. `<noun>` and `*` stand for any name. */
function listNamed(text: string): string[] {
  return [...text.matchAll(/`([^`\s]+)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => /\/|\.ts$/.test(name) && !/^@|^npm|NNNN|^\.\.\./.test(name));
}

test('every path that the pages about the architecture name is there', () => {
  const named = ['docs/architecture.md', 'services/proxy/README.md', 'services/writer/README.md'].flatMap((page) =>
    listNamed(read(page)),
  );
  expect(named.length).toBeGreaterThan(100);
  const isThere = (name: string) =>
    bases.some((base) => {
      const pattern = (base + name).replace(/[.]/g, '\\.').replaceAll(/<\w+>|\*/g, '[^/]+');
      return files.some((file) => new RegExp(`^${pattern.replace(/\/$/, '')}(/|$)`).test(file));
    });
  const loose = named.filter((name) => !isThere(name) && !files.some((file) => file.endsWith(`/${name}`)));
  expect(loose).toEqual([]);
});

test('the page about the proxy has every step of its pipeline', () => {
  const page = read('services/proxy/README.md');
  const proxy = [...read('services/proxy/src/pipeline.ts').matchAll(/begin\('(\w+)'\)/g)].map(([, step]) => step);
  const steps = files.filter(
    (path) => /^services\/proxy\/src\/steps\/[a-z-]+\.ts$/.test(path) && !path.includes('.test'),
  );
  expect(proxy.length).toBeGreaterThan(5);
  const names = steps.map((path) =>
    (path.split('/').at(-1) ?? '').replace('.ts', '').replace(/-(\w)/g, (_, letter) => letter.toUpperCase()),
  );
  expect([...proxy, ...names].filter((step) => !page.includes(`\`${step}\``))).toEqual([]);
});

/** Paragraphs and items of lists, without headings, tables, code and what is quoted. */
const listParagraphs = (text: string): string[] =>
  text
    .replaceAll(/^ *```.*?^ *```$/gms, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .filter((each) => !/^\s*[|<>#]/.test(each));

test.each(pages.filter((path) => path !== 'CHANGELOG.md'))('no paragraph of %s has more than 60 words', (path) => {
  const long = listParagraphs(read(path)).filter((each) => each.trim().split(/\s+/).length > 60);
  expect(long).toEqual([]);
});
