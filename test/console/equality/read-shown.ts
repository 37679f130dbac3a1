import type { Page } from 'playwright-core';

/** What a screen shows, as text. */
export interface Shown {
  /** Rows of each table, by the table's label: texts of the cells by the heads of the columns. */
  tables: Record<string, Record<string, string>[]>;
  /** What stands in each box of a figure, by its name. */
  figures: Record<string, string>;
  /** What stands in each card that has a title. */
  cards: Record<string, string>;
  /** Values of lists of names and values. */
  fields: Record<string, string>;
  /** The tabs that are said to be the one that is shown. */
  tabs: string[];
  /** What pictures are for those who cannot see them. */
  pictures: string[];
}

/**
 * The page's own code, as text: these files know no DOM. Titles, which have the exact amount, the whole id, the time in UTC, stand behind the
 * text in braces; a bar is its text and its width. Buttons are no data.
 */
const read = `(() => {
  const tidy = (text) => text.replace(/\\s+/g, ' ').trim();
  const isBlock = (node) => node.classList.contains('pill') || /^(?:DIV|P|LI|DT|DD|TD|TR|UL|SECTION)$/.test(node.tagName);
  const textOf = (node) => {
    if (node.nodeType === 3) return node.data;
    if (node.nodeType !== 1 || node.tagName === 'BUTTON' || node.classList.contains('visually-hidden')) return '';
    if (node.getAttribute('role') === 'meter')
      return node.getAttribute('aria-valuetext') + ' ' + Math.round(parseFloat(node.querySelector('.spent').style.width)) + '%';
    const inner = [...node.childNodes].map(textOf).join('');
    const title = node.getAttribute('title');
    const lasting = node.tagName === 'TIME' && / ago$|^just now$/.test(inner) ? 'ago' : inner;
    const text = title === null ? inner : lasting + ' {' + title + '}';
    return isBlock(node) ? ' ' + text + ' ' : text;
  };
  const all = (query, within = document.querySelector('main')) => [...within.querySelectorAll(query)];
  const named = (pairs) => Object.fromEntries(pairs.map(([name, value]) => [tidy(name), value]));
  const tables = named(all('table[aria-label]').map((table) => {
    const heads = all('th', table).map((head) => head.textContent);
    const rows = all('tbody tr', table).map((row) =>
      named(all('td', row).map((cell, at) => [heads[at], tidy(textOf(cell))]).filter(([head]) => head !== 'Action' && head !== 'Look')));
    return [table.getAttribute('aria-label'), rows];
  }));
  return {
    tables,
    figures: named(all('.stat').map((box) => [textOf(box.querySelector('dt')), tidy(textOf(box.querySelector('dd')))])),
    cards: named(all('section.card').filter((card) => card.querySelector('h2')).map((card) =>
      [textOf(card.querySelector('h2')), tidy(textOf(card.querySelector('.card-head + div')))])),
    fields: named(all('dl.fields > dt').map((name) => [textOf(name), tidy(textOf(name.nextElementSibling))])),
    tabs: all('.tabs [aria-current=page]').map((tab) => tab.textContent),
    pictures: all('[role=img]').map((picture) => picture.getAttribute('aria-label')),
  };
})()`;

export const readShown = (page: Page): Promise<Shown> => page.evaluate<Shown>(read);
