import { readPolicy } from '@agp/policy/yaml';
import { autocompletion } from '@codemirror/autocomplete';
import { yaml } from '@codemirror/lang-yaml';
import { syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, linter, lintGutter } from '@codemirror/lint';
import { EditorView } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { useComputedColorScheme } from '@mantine/core';
import { basicSetup } from 'codemirror';
import { getNonce } from 'get-nonce';
import { useEffect, useRef } from 'react';
import { completePolicy } from './complete-policy.ts';

const checks = linter(({ state }): Diagnostic[] =>
  readPolicy(state.doc.toString()).faults.map((fault) => ({ ...fault, severity: 'error' })),
);

interface PolicyEditorProps {
  text: string;
  onChange: (text: string) => void;
}

/** A text in YAML with the completion of the policy's schema, and what is wrong at its line. Tab leaves it, as it leaves other fields. */
export function PolicyEditor({ text, onChange }: PolicyEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const shown = useRef<EditorView>(null);
  const latest = useRef(text);
  const tell = useRef(onChange);
  tell.current = onChange;
  const dark = useComputedColorScheme() === 'dark';
  useEffect(() => {
    if (host.current === null) return;
    const view = new EditorView({
      parent: host.current,
      doc: latest.current,
      extensions: [
        ...[EditorView.cspNonce.of(getNonce() ?? ''), EditorView.theme({}, { dark }), EditorView.lineWrapping],
        ...[basicSetup, yaml(), syntaxHighlighting(classHighlighter), checks, lintGutter()],
        autocompletion({ override: [completePolicy] }),
        EditorView.contentAttributes.of({ 'aria-label': 'The policy in YAML' }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (!docChanged) return;
          latest.current = state.doc.toString();
          tell.current(latest.current);
        }),
      ],
    });
    shown.current = view;
    return () => view.destroy();
  }, [dark]);
  // What comes from elsewhere can be undone as what is typed.
  useEffect(() => {
    if (text === latest.current) return;
    const view = shown.current;
    view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  }, [text]);
  return <div ref={host} className="policy-editor" />;
}
