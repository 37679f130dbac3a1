/*
 * What callers and providers may make a proxy hold, read or write, whatever they send. Bounds of bodies and connections are settings.
 */

/** The longest request target. */
export const maxTargetLength = 16_384;
/** In lists and logs a path is cut to this. */
export const maxListedPath = 512;
/** Session names and compliance tags of callers. */
export const maxSessionName = 256;
export const maxComplianceTag = 64;

/** Texts of an event. */
export const maxModelName = 256;
export const maxEventPath = 2_048;
export const maxShortText = 64;
export const maxMethod = 32;
export const maxProviderRequestId = 256;
/** More than there are. */
export const maxPiiTypes = 64;
/** Five times what 100,000 calls of the largest context use; Postgres still holds the sums of a day, whatever a provider claims. */
export const maxEventTokens = 1_000_000_000_000;

/** What is remembered of names and paths that callers choose. */
export const rememberedAgents = 50_000;
export const rememberedSessions = 100_000;
export const rememberedPaths = 1_000;
export const rememberedAliases = 10_000;
/** Longer ones, in characters, are not remembered. */
export const rememberedPathLength = 512;
/** JWTs that were verified, and for how long, in milliseconds: a key that an issuer takes back holds no longer. */
export const rememberedTokens = 50_000;
export const tokenRememberedMs = 300_000;
/** How long an issuer may take to tell its keys, in milliseconds. */
export const issuerTimeoutMs = 3_000;
/** Tokens that an agent may exchange in an hour, how long they last in seconds, and the form that asks for one in bytes. */
export const exchangedTokens = { perHour: 10_000, seconds: 3_600, form: 32_768 };
/** How often an agent may ask about itself. */
export const ownAsksPerMinute = 60;
/** Refused requests that an agent reads of itself. */
export const latestRefusals = 10;
/**
 * Of the check of a policy: texts and their bytes that it gets, questions at once; bytes of its answer, kinds that this finds, and those
 * that a refusal names; policies whose connections are kept.
 */
export const checks = {
  ...{ texts: 2_000, textBytes: 256 * 1024, atOnce: 64 },
  ...{ answerBytes: 256 * 1024, kinds: 64, toldKinds: 5, policies: 200 },
};
/** Work in the background that a process can cancel: of each the request's headers are held. */
export const rememberedWork = 2_000;
/** Models without a price that one process logs. */
export const loggedModels = 1_000;
/** Figures of answers that are not understood, which one process counts by name. */
export const namedFigures = 200;

/** Rows of doubts that wait for storage, of an agent and in all. */
export const waitingDoubts = { ofAgent: 200, all: 2_000 };
/** Refused requests that wait for storage, and those of a minute that are listed singly. */
export const waitingRefusals = 3_000;
export const listedRefusals = { alike: 10, network: 100, all: 300 };
/** Rows of a minute that stand for many alike requests; as many again without agent and provider, and without policies. */
export const summedRefusals = 1_000;
/** Pairs of agent and reason that are counted at a time; beyond them as many reasons without an agent. */
export const refusalKeys = 10_000;

/** How long an agent may keep sending a body that is no longer read, in milliseconds. */
export const unreadBodyMs = 5_000;

/** A provider's error is held, in bytes, until it is known whether it names what the proxy asked for; a longer one passes unread. */
export const maxHeldError = 64 * 1024;

/** Characters of a refusal's text that are kept. */
export const maxTold = 512;

/** What one answer's head says of warnings, in characters: clients take some 16 KB of headers in all. */
export const maxWarning = 1_024;
