import { hostname } from 'node:os';
import { ConfigError, TimeoutError, withTimeout } from '@agp/runtime';
import { agentBy, type Egress, EgressProxyError } from '@agp/runtime/egress';

/** What signs as a role or a user of AWS. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  /** Undefined for those of a user, which never end. */
  expiration?: Date | undefined;
}

/** No credentials could be had. Its message names the variables that say where, and quotes nothing of an answer. */
export class IdentityError extends Error {
  /** Only a change of settings makes it pass. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** Longest wait for credentials, in milliseconds. */
const timeoutMs = 10_000;

type Read = () => Promise<AwsCredentials>;

interface Kind {
  /** The variables that give it, which the pod's platform sets. */
  variables: readonly string[];
  /** What to look at if AWS refuses it. */
  advice: string;
  /** @param given the values of its variables, in their order */
  open(given: readonly string[], environment: NodeJS.ProcessEnv, region: string, egress: Egress): Read;
}

/**
 * The first whose variables are all set counts, as in AWS' own tools, but for the files of a home and the node's own role, which are no
 * pod's. AWS' code is loaded once a key is made: it takes 20 MB.
 */
const kinds: readonly Kind[] = [
  {
    variables: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
    advice: 'set others',
    open([accessKeyId = '', secretAccessKey = ''], environment) {
      const { AWS_SESSION_TOKEN: sessionToken, AWS_CREDENTIAL_EXPIRATION: end } = environment;
      return async () => ({ accessKeyId, secretAccessKey, sessionToken, expiration: end ? new Date(end) : undefined });
    },
  },
  {
    variables: ['AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN'],
    advice: "see to the role's trust policy and to the pod's service account",
    open([webIdentityTokenFile = '', roleArn = ''], environment, region, egress) {
      const roleSessionName =
        environment.AWS_ROLE_SESSION_NAME || `agp-${hostname().replace(/[^\w.-]/g, '-')}`.slice(0, 64);
      const httpsAgent = agentBy(egress, timeoutMs) ?? { keepAlive: false };
      const limits = { connectionTimeout: timeoutMs, requestTimeout: timeoutMs, throwOnRequestTimeout: true };
      const clientConfig = {
        region: environment.AWS_REGION || region,
        requestHandler: { ...limits, httpsAgent, httpAgent: { keepAlive: false } },
      };
      return async () => {
        const { fromTokenFile } = await import('@aws-sdk/credential-provider-web-identity');
        return fromTokenFile({ webIdentityTokenFile, roleArn, roleSessionName, clientConfig })();
      };
    },
  },
  ...(['Relative', 'Full'] as const).map((spelling): Kind => {
    const variable = `AWS_CONTAINER_CREDENTIALS_${spelling.toUpperCase()}_URI`;
    return {
      variables: [variable],
      advice: "see to the pod's association with a role, and to the authorization token",
      open([uri], environment) {
        const options: object = {
          [`awsContainerCredentials${spelling}Uri`]: uri,
          awsContainerAuthorizationToken: environment.AWS_CONTAINER_AUTHORIZATION_TOKEN,
          awsContainerAuthorizationTokenFile: environment.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE,
          ...{ timeout: timeoutMs, maxRetries: 0 },
        };
        return async () => {
          const { fromHttp } = await import('@aws-sdk/credential-provider-http');
          return fromHttp(options)();
        };
      },
    };
  }),
];

/** Whom AWS takes this pod for. */
export class AwsIdentity {
  readonly #kind: Kind;
  readonly #open: Read;
  #reading: Promise<AwsCredentials> | null = null;

  /** @param region where AWS is asked, unless AWS_REGION says another @throws ConfigError that names the variables, if none gives one */
  static find(environment: NodeJS.ProcessEnv, region: string, egress: Egress): AwsIdentity {
    const kind = kinds.find(({ variables }) => variables.every((name) => environment[name]));
    if (kind === undefined) {
      const ways = kinds.map(({ variables }) => variables.join(' and ')).join(', or ');
      throw new ConfigError(
        `this process has no identity of AWS: set ${ways}; EKS sets them for an account with a role`,
      );
    }
    const given = kind.variables.map((name) => String(environment[name]));
    return new AwsIdentity(kind, kind.open(given, environment, region, egress));
  }

  constructor(kind: Kind, read: Read) {
    this.#kind = kind;
    this.#open = read;
  }

  /** Whoever asks at the same time shares one answer. @throws IdentityError after 10 seconds at the latest */
  read(): Promise<AwsCredentials> {
    this.#reading ??= withTimeout(this.#open(), timeoutMs)
      .catch((error) => {
        throw this.#explain(error);
      })
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }

  #explain(error: unknown): IdentityError {
    const { why, isFinal } = describeFailure(error);
    return this.fail(isFinal ? `${why}: ${this.#kind.advice}` : why, isFinal);
  }

  /** @param isFinal whether only a change of settings makes it pass */
  fail(why: string, isFinal: boolean): IdentityError {
    return new IdentityError(`${this.#kind.variables.join(' and ')}: ${why}`, isFinal);
  }
}

/** Names that say no more than that there was an error. */
const vague = new Set(['Error', 'CredentialsProviderError', 'SyntaxError', 'AggregateError']);

/** Answers of 4xx that pass by themselves. */
const passing = /Throttl|TooMany|RequestLimit|IDPCommunication|RequestTimeout/;

/** Tells a failure by status and code alone: messages may quote what was answered, and that holds secrets. */
function describeFailure(error: unknown): { why: string; isFinal: boolean } {
  if (error instanceof EgressProxyError) return { why: error.message, isFinal: false };
  if (error instanceof TimeoutError) return { why: `no answer within ${timeoutMs / 1_000} s`, isFinal: false };
  const { name, message, Code, code, path, $metadata } = error as Error & Record<string, unknown>;
  if (typeof path === 'string' && typeof code === 'string')
    return { why: `cannot read ${path} (${code})`, isFinal: true };
  if (code === 'ERR_INVALID_URL' || message.startsWith('URL not accepted'))
    return { why: 'must be of HTTPS, of this machine, or an address of the container service', isFinal: true };
  const told = ($metadata as { httpStatusCode?: number } | undefined)?.httpStatusCode;
  const status = told ?? Number(/^Server responded with status: (\d{3})$/.exec(message)?.[1] ?? 0);
  const reason =
    [Code, code, name, /\bE[A-Z]{4,}\b/.exec(message)?.[0]].find(
      (each) => typeof each === 'string' && /^[A-Z][\w.]{1,63}$/i.test(each) && !vague.has(each),
    ) ?? '';
  if (status >= 400) {
    const isFinal = status < 500 && status !== 429 && !passing.test(String(reason));
    return { why: `AWS answers ${[status, reason].filter(Boolean).join(' ')}`, isFinal };
  }
  return { why: reason ? `cannot be reached (${reason})` : 'gave no credentials', isFinal: false };
}
