import { type CSSVariablesResolver, createTheme } from '@mantine/core';

const systemFonts =
  'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif';

/** Colours, sizes and fonts of every screen. Fonts are those of the viewer's system: nothing is loaded for them. */
export const theme = createTheme({
  primaryColor: 'indigo',
  // Bright enough to be seen, dark enough that white text on them can be read.
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: 'md',
  fontFamily: systemFonts,
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: {
    fontFamily: systemFonts,
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1rem' } },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
});

/** Mantine's own dimmed and placeholder texts are too pale to be read by everybody. */
export const resolveVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#55606e',
    '--mantine-color-placeholder': '#667080',
    '--mantine-color-body': '#f6f7f9',
    '--mantine-color-error': '#b42318',
  },
  dark: {
    '--mantine-color-dimmed': '#a3abb8',
    '--mantine-color-placeholder': '#8f98a6',
    '--mantine-color-body': '#14171c',
    '--mantine-color-error': '#ff9d94',
    '--mantine-color-anchor': colors.indigo?.[3] ?? '#91a7ff',
  },
});

/** The nonce that this answer's policy lets style tags have; empty if the page was served without one. */
export function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}
