import { formatCount } from '@agp/core/explain';
import { readText, writeText } from '@agp/documents/yaml';
import { identitySchema, maxTokenLength, type StoredIdentity, type TriedToken } from '@agp/identities';
import { Button, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { apiQuery, callApi } from '../../api/api.ts';
import { usePermissions } from '../../api/session.ts';
import { Changes, type DraftProps, type Kind } from '../../changes/stored.tsx';
import { EmptyState, FailureNotice } from '../../components/feedback.tsx';
import { Banner, Card, Screen, Whole } from '../../components/layout.tsx';
import { actionColumn, agoColumn, type Column, ReadList } from '../../components/list.tsx';
import { AgentLink, Fields, TimeStamp } from '../../components/values.tsx';

interface Draft {
  name: string;
  text: string;
}

const begun = `name: cluster
issuer: https://kubernetes.default.svc # as its tokens have it in iss
audiences: [agp]
keys: { discovery: true } # or jwks_uri: https://..., or jwks: { keys: [...] }
rules: # the first whose match holds decides
  - name: all
    match: { kubernetes.io/namespace: [prod-*] }
    agent: "{kubernetes.io/namespace}.{kubernetes.io/serviceaccount/name}"
    labels: { team: "{kubernetes.io/namespace}" }
`;

const read = (text: string) => readText(text, identitySchema, 'identity');

/** An issuer in YAML, with the first fault at its line. */
function IdentityForm({ draft: { name, text }, onChange, onReady }: DraftProps<Draft>) {
  const [fault] = read(text).faults;
  const ready = fault === undefined;
  useEffect(() => onReady(ready), [ready, onReady]);
  return (
    <Textarea
      label="The issuer in YAML"
      autosize
      minRows={10}
      maxRows={24}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      value={text}
      error={fault && `Line ${text.slice(0, fault.from).split('\n').length}: ${fault.message}`}
      onChange={({ currentTarget: { value } }) => onChange({ name: read(value).value?.name ?? name, text: value })}
    />
  );
}

const kind: Kind<StoredIdentity, Draft> = {
  ...{ path: '/api/v1/identities', noun: 'identity', begun: { name: '', text: begun } },
  read: ({ identity, text }) => ({ name: identity.name, text: text ?? writeText(identity) }),
  toBody: ({ text }) => text,
  Form: IdentityForm,
  tell: ({ name }) => `${name} holds from the next request on.`,
  warn: () =>
    'Its tokens, and those exchanged for them, are refused from the next request on. Its agents’ names stay claimed, and one made anew does not get them: change it instead.',
  canUndo: false,
};

const columns: readonly Column<StoredIdentity>[] = [
  { head: 'Identity', by: ({ identity }) => identity.name, cell: ({ identity }) => identity.name },
  { head: 'Issuer', cell: ({ identity }) => <span className="text-cell">{identity.issuer}</span> },
  { head: 'Audiences', wide: true, cell: ({ identity }) => identity.audiences.join(', ') },
  {
    head: 'Agents',
    cell: ({ identity }) => (
      <div className="small text-cell">{identity.rules.map(({ name, agent }) => `${name}: ${agent}`).join('; ')}</div>
    ),
  },
  { head: 'Version', right: true, wide: true, cell: ({ version }) => formatCount(version) },
  agoColumn('Changed', ({ updated_at }) => updated_at),
];
const actions = actionColumn((stored: StoredIdentity) => <Changes of={kind} stored={stored} />);

function Tried({ tried }: { tried: TriedToken }) {
  const { agent, agent_id, labels } = tried;
  return (
    <div role="status">
      <Banner tone={tried.passes ? 'good' : 'warn'}>
        {tried.problem === null
          ? 'It would be let in.'
          : `${tried.identity === null ? 'It proves no agent' : 'It would be refused'}: ${tried.problem}`}
      </Banner>
      <Fields
        fields={{
          Issuer: tried.identity,
          Rule: tried.rule,
          Agent: agent !== null && agent_id !== null ? <AgentLink id={agent_id} name={agent} /> : agent,
          Labels:
            Object.entries(labels)
              .map(([name, value]) => `${name}=${value}`)
              .join(', ') || null,
          'Compliance tag': tried.compliance_tag,
          Ends: tried.expires_at && <TimeStamp at={tried.expires_at} />,
        }}
      />
    </div>
  );
}

/** Says what a token proves, which is kept nowhere. */
function TryToken() {
  const [token, setToken] = useState('');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (asked: string) => callApi('post', '/api/v1/identities/try', { body: { token: asked } }),
    gcTime: 0,
  });
  return (
    <Card title="Try a token">
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          mutate(token.trim());
        }}
      >
        <TextInput
          label="Token"
          description="Of a workload; it is neither stored nor logged"
          type="password"
          autoComplete="off"
          style={{ flex: '1 1 16rem' }}
          maxLength={maxTokenLength}
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={isPending} disabled={token.trim() === ''}>
          Try it
        </Button>
      </form>
      {error ? <FailureNotice error={error} /> : data && <Tried tried={data.data} />}
    </Card>
  );
}

/** Whose tokens prove which workload an agent is. */
export function IdentitiesScreen() {
  const { govern, identities } = usePermissions();
  return (
    <Screen
      title="Identities"
      about="Issuers whose tokens prove which workload an agent is: Kubernetes, SPIFFE, CI, a cloud"
      actions={govern && identities && <Changes of={kind} stored={null} />}
    >
      <Whole needs="identities">
        <Identities />
      </Whole>
    </Screen>
  );
}

function Identities() {
  const { govern } = usePermissions();
  return (
    <>
      <ReadList
        query={useQuery(apiQuery('/api/v1/identities'))}
        label="Identities"
        rowKey={({ id }) => id}
        columns={govern ? [...columns, actions] : columns}
        none={
          <EmptyState title="No identity yet">
            Agents prove themselves with agent tokens until an issuer is trusted.
          </EmptyState>
        }
      />
      <TryToken />
    </>
  );
}
