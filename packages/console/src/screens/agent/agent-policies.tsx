import type { AgentOverview } from '@agp/core/contracts';
import { countOf } from '@agp/core/explain';
import { readLabels } from '@agp/core/labels';
import { describeMatch, mayHold } from '@agp/documents';
import type { Policy } from '@agp/policy';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { policiesQuery } from '../../api/api.ts';
import { Reading } from '../../components/feedback.tsx';
import { Card } from '../../components/layout.tsx';
import { PolicyMode, Whose } from '../../components/policies.tsx';
import { roundUsd } from '../../format/format.ts';
import { hasEnded } from '../policies/describe-policy.ts';
import { ExceptionsFor } from '../policies/exceptions.tsx';

function tellNames(what: string, { allow, deny }: NonNullable<Policy['models']> = {}): string[] {
  return [
    ...(allow ? [allow.length === 0 ? `no ${what}` : `only the ${what} ${allow.join(', ')}`] : []),
    ...(deny ? [`not the ${what} ${deny.join(', ')}`] : []),
  ];
}

/** What becomes of personal data, by what is done with it. */
function tellData(pii: Policy['pii'], direction: 'request' | 'response'): string[] {
  const kinds = Map.groupBy(Object.entries(pii?.[direction] ?? {}), ([, action]) => action);
  const side = direction === 'request' ? 'requests' : 'answers';
  return [...kinds].map(([action, each]) => `${action} ${each.map(([kind]) => kind).join(', ')} in ${side}`);
}

/** What a policy allows, each rule in words. */
function tellRules({ models, providers, operations, limits, hours, tools, pii, where, check, require }: Policy) {
  const mcp = tools?.remote_mcp;
  const servers = mcp && [mcp.hosts, mcp.connectors, mcp.tunnels].flatMap((names) => names ?? []);
  const words = [
    ...tellNames('models', models),
    ...tellNames('providers', providers),
    ...tellNames('operations', operations),
    ...tellNames('tools', tools?.client),
    ...tellNames('hosted tools', tools?.hosted),
    ...tellNames('MCP servers', servers && { allow: servers }),
    ...(hours ? [`only ${hours.allow} (${hours.zone})`] : []),
    ...(limits?.max_output_tokens ? [`at most ${countOf(limits.max_output_tokens, 'token')} out`] : []),
    ...(limits?.max_input_bytes ? [`at most ${countOf(limits.max_input_bytes, 'byte')} in`] : []),
    ...(limits?.max_cost_usd ? [`at most ${roundUsd(limits.max_cost_usd)} a request`] : []),
    ...tellData(pii, 'request'),
    ...tellData(pii, 'response'),
    ...(where?.geo ? [`only in ${where.geo.join(', ')}`] : []),
    ...(where?.store === false ? ['nothing kept at the provider'] : []),
    ...(require ? [`a guardrail: ${require.guardrail.join(', ')}`] : []),
    ...(check ? [`${new URL(check.url).host} is asked`] : []),
  ];
  return words.join('; ') || 'no rule';
}

/** The policies that hold for an agent, in words. */
export function AgentPolicies({ agent }: Pick<AgentOverview, 'agent'>) {
  const query = useQuery(policiesQuery);
  const labels = Object.fromEntries(readLabels(agent.metadata));
  return (
    <Card title="Policies that hold for it">
      <Reading query={query} shape={{ rows: 2 }}>
        {({ data }) => {
          const held = data.filter(({ policy }) => !hasEnded(policy) && mayHold(policy.match, agent.name, labels));
          if (held.length === 0) return <span className="dim">None: it may do whatever its cap and limit allow.</span>;
          return (
            <ul className="lines" style={{ marginTop: 0 }}>
              {held.map(({ id, policy, ...stored }) => (
                <li key={id}>
                  <Link to="/policies/$policyId" params={{ policyId: id }}>
                    {policy.name}
                  </Link>{' '}
                  <PolicyMode mode={policy.mode} /> <Whose of={stored} /> {tellRules(policy)}{' '}
                  {(policy.match.tags || policy.match.providers || policy.match.not) && (
                    <span className="dim">(for {describeMatch(policy.match)})</span>
                  )}
                  <ExceptionsFor stored={{ id, policy, ...stored }} agent={agent.name} labels={labels} />
                </li>
              ))}
            </ul>
          );
        }}
      </Reading>
    </Card>
  );
}
