import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLogger } from '../logger.ts';
import { findStrangeVariables, warnOfStrangeVariables } from './load-config.ts';

test.each([
  ...['AGENT_IDENTTY', 'AGP_DATADIR', 'AGP_SOMETHING', 'BUDGET_A_DAY', 'MANAGEMENT_APIKEY', 'MANAGEMENT_API_KEYS_FILE'],
  ...[
    'OIDC_ISUER',
    'PII_MODE',
    'PROVIDER_FILE',
    'PROVIDER_OPENAI',
    'PROVIDER_OPENAI_KEY',
    'PROVIDER_OPENAI_URL_FILE',
    'WRITER_LANE',
  ],
])('%s begins like ours', (name) => {
  expect(findStrangeVariables({ [name]: 'any' })).toEqual([name]);
});

const foreign = `
  PATH HOME HOSTNAME HOSTTYPE SHELL USER LANG LC_ALL TERM PWD OLDPWD SHLVL TZ EDITOR DISPLAY LOGNAME MAIL PAGER COLORTERM XDG_RUNTIME_DIR
  HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy ALL_PROXY PROXY_HOST npm_config_registry npm_lifecycle_event INIT_CWD NODE
  NODE_ENV NODE_OPTIONS NODE_COMPILE_CACHE NODE_EXTRA_CA_CERTS CI GITHUB_TOKEN GITHUB_ACTIONS RUNNER_OS GITLAB_CI CI_PROJECT_ID SSH_AUTH_SOCK
  SSH_AGENT_PID GPG_AGENT_INFO DD_AGENT_HOST AWS_REGION GOOGLE_API_KEY OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY OPENAI_BASE_URL
  PGHOST PGPORT PGUSER PGPASSWORD POSTGRES_URL POSTGRES_PASSWORD REDIS_HOST REDIS_PORT REDIS_PASSWORD REDIS_TLS_URL NATS_HOST DATABASE_NAME
  KUBERNETES_SERVICE_HOST KUBERNETES_PORT_443_TCP_ADDR AGENT_POOL_SERVICE_HOST AGENT_POOL_PORT_80_TCP BUDGET_SERVICE_PORT
  OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES OTEL_EXPORTER_OTLP_TIMEOUT OTEL_BLRP_SCHEDULE_DELAY OTEL_METRICS_EXPORTER OTEL_LOGS_EXPORTER
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT OTEL_EXPORTER_OTLP_LOGS_ENDPOINT OTEL_PROPAGATORS INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET
  LISTEN_FDS AUDIO GADGET VSCODE_PID TERM_PROGRAM HOST PORT AUDIT VAULT_ADDR VIRTUAL_ENV JAVA_HOME GOPATH COMPOSE_PROJECT_NAME DOCKER_HOST
  PROVIDER_OPENAI_URL PROVIDER_MY_VLLM_API_KEY PROVIDER_MY_VLLM_API_KEY_FILE NATS_URL_FILE MANAGEMENT_API_KEY_FILE AGP_PROXY_PASSWORD_FILE
`;

test('variables of other programs, and ours as they are, look like nothing', () => {
  const environment = Object.fromEntries(
    foreign
      .trim()
      .split(/\s+/)
      .map((name) => [name, 'any']),
  );
  expect(findStrangeVariables(environment)).toEqual([]);
  expect(findStrangeVariables({ TF_BUILD: 'True', AGENT_ID: '7', AGENT_WORKFOLDER: '/w' })).toEqual([]);
});

test('a value is never shown, a thousand are as many as twenty, and a name of any length takes no time', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`AGP_${index}`, 'canary']));
  const lines: string[] = [];
  const destination = new Writable({
    write(line, _, done) {
      lines.push(String(line));
      done();
    },
  });
  const logger = createLogger('proxy', 'info', destination);
  warnOfStrangeVariables({ ...many, [`AGP_${'X'.repeat(100_000)}`]: 'canary', 'AGP_\u001b[2J': 'canary' }, logger);
  expect(lines).toHaveLength(20);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', variable: 'AGP_0', service: 'proxy' });
  expect(lines.join('')).not.toMatch(/canary|XXX/);
});
