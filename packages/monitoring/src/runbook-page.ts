/** The page of an alert, from the root of the repository: `AgpOutboxFilling` has `docs/runbooks/agp-outbox-filling.md`. */
export function runbookPage(alertName: string): string {
  return `docs/runbooks/${alertName.replace(/(?<!^)([A-Z])/g, '-$1').toLowerCase()}.md`;
}
