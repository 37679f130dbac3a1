import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findIssuer, identitySchema, judge } from '@agp/identities';
import { IssuerKeys } from '@agp/identities/keys';
import { verify } from '@agp/identities/verify';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeKey, nowSeconds, sign } from './support/test-issuer.ts';

const folder = join(import.meta.dirname, '../../docs/identities');

/** What each platform's tokens have, with the examples of its own documentation, and the agent that comes of it. */
const shapes: Record<string, { claims: Record<string, unknown>; agent: string; labels: object; tag?: string }> = {
  kubernetes: {
    claims: {
      aud: ['agp'],
      iss: 'https://kubernetes.default.svc',
      jti: 'ea28ed49-2e11-4280-9ec5-bc3d1d84661a',
      'kubernetes.io': {
        namespace: 'prod-mail',
        node: { name: 'node-1', uid: '646e7c5e-32d6-4d42-9dbd-e504e6cbe6b1' },
        pod: { name: 'mailer-69fb6c4b5c-2xk7h', uid: '5e0bd49b-f040-43b0-99b7-22765a53f7f3' },
        serviceaccount: { name: 'mailer', uid: '14ee3fa4-a7e2-420f-9f9a-dbc4507c3798' },
      },
      sub: 'system:serviceaccount:prod-mail:mailer',
    },
    agent: 'prod-mail.mailer',
    labels: { team: 'prod-mail' },
    tag: 'pci',
  },
  spiffe: {
    claims: { aud: ['agp'], iss: 'https://oidc.spire.example.org', sub: 'spiffe://example.org/ns/prod/sa/mailer' },
    agent: 'spiffe://example.org/ns/prod/sa/mailer',
    labels: { 'trust-domain': 'example.org' },
  },
  'github-actions': {
    claims: {
      jti: 'example-id',
      sub: 'repo:octo-org/octo-repo:ref:refs/heads/main',
      environment: 'prod',
      aud: 'agp',
      ref: 'refs/heads/main',
      sha: 'example-sha',
      repository: 'octo-org/octo-repo',
      repository_owner: 'octo-org',
      actor_id: '12',
      repository_visibility: 'private',
      repository_id: '74',
      repository_owner_id: '9919',
      run_id: 'example-run-id',
      runner_environment: 'github-hosted',
      workflow: 'nightly',
      event_name: 'schedule',
      ref_type: 'branch',
      job_workflow_ref: 'octo-org/octo-automation/.github/workflows/oidc.yml@refs/heads/main',
      iss: 'https://token.actions.githubusercontent.com',
    },
    agent: 'github:octo-org/octo-repo:nightly',
    labels: { repository: 'octo-org/octo-repo', 'started-by': 'schedule' },
  },
  gitlab: {
    claims: {
      namespace_id: '72',
      namespace_path: 'my-group',
      project_id: '20',
      project_path: 'my-group/my-project',
      user_id: '1',
      user_login: 'sample-user',
      pipeline_id: '574',
      pipeline_source: 'push',
      job_id: '302',
      ref: 'feature-branch-1',
      ref_type: 'branch',
      ref_protected: 'true',
      environment: 'production',
      environment_protected: 'true',
      sub: 'project_path:my-group/my-project:ref_type:branch:ref:feature-branch-1',
      aud: 'agp',
      iss: 'https://gitlab.com',
    },
    agent: 'gitlab:my-group/my-project',
    labels: { environment: 'production' },
  },
  entra: {
    claims: {
      aud: '66666666-7777-8888-9999-000000000000',
      iss: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
      azp: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
      azpacr: '2',
      idtyp: 'app',
      oid: '12345678-1234-1234-1234-123456789012',
      roles: ['Agent.Call', 'Agent.Read'],
      sub: '12345678-1234-1234-1234-123456789012',
      tid: '11111111-2222-3333-4444-555555555555',
      uti: 'abc',
      ver: '2.0',
    },
    agent: 'entra.aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
    labels: {},
  },
  google: {
    claims: {
      iss: 'https://accounts.google.com',
      azp: '101234567890123456789',
      aud: 'agp',
      sub: '101234567890123456789',
      email: 'mailer@agents-prod.iam.gserviceaccount.com',
      email_verified: true,
      google: {
        compute_engine: {
          project_id: 'agents-prod',
          project_number: 739419398126,
          zone: 'us-central1-a',
          instance_id: '152986662232938449',
          instance_name: 'example',
          instance_creation_timestamp: 1593126513,
        },
      },
    },
    agent: 'mailer@agents-prod.iam.gserviceaccount.com',
    labels: { project: 'agents-prod' },
  },
  okta: {
    claims: {
      ver: 1,
      jti: 'AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE',
      iss: 'https://example.okta.com/oauth2/aus1a2b3c4d5e6f7g8h9',
      aud: 'api://agp',
      sub: '0oabskvc6442nkvQO0h7',
      cid: '0oabskvc6442nkvQO0h7',
      scp: ['agents.call'],
      team: 'search',
    },
    agent: 'okta.0oabskvc6442nkvQO0h7',
    labels: { team: 'search' },
  },
};

test('each example has a token of its shape', () => {
  expect(readdirSync(folder).sort()).toEqual(
    Object.keys(shapes)
      .map((name) => `${name}.yaml`)
      .sort(),
  );
});

test.each(Object.entries(shapes))('%s', async (name, { claims, agent, labels, tag = null }) => {
  const written = identitySchema.parse(parse(readFileSync(join(folder, `${name}.yaml`), 'utf8')));
  const key = await makeKey('its-key', 'RS256');
  const keys = new IssuerKeys(written, async (url) => {
    if (url === `${written.issuer}/.well-known/openid-configuration`)
      return { issuer: written.issuer, jwks_uri: 'https://keys.example' };
    return { keys: [key.jwk] };
  });
  const token = await sign(key, { nbf: nowSeconds(), ...claims });
  const identity = findIssuer([written], claims);
  expect(identity).toBe(written);
  const workload = judge(written, await verify(token, written, keys.find));
  expect(workload).toMatchObject({ agent, labels, complianceTag: tag });
});
