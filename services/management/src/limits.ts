/** What this service takes from callers, and keeps for them, at most. */

const kibibyte = 1_024;

/** Connections to Postgres: those of keys and changes, above all the kill switch, never wait behind reads or sign-ins; one of them notes alerts. */
export const connections = { changes: 5, reads: 5, counts: 2, teamChanges: 2, teamReads: 4 };
/** Six hours of events take no longer to sum up, in milliseconds. */
export const longestCountMs = 600_000;
/** One key or person has this much. */
export const shareOfReads = { connections: 2, waiting: 100 };
/** All sign-ins together have this much. */
export const shareOfSignIns = { connections: 2, waiting: 100 };

/** Failed authentications of one network. */
export const failureLimit = { name: 'management-auth', points: 100, durationSeconds: 60 };
/** Sign-ins and links of one key or person, and tries of one network with the OpenID provider. */
export const signInLimit = { name: 'management-auth:sign-in', points: 100, durationSeconds: 60 };

/** The largest body: more than any valid one needs, even with every character escaped. */
export const maxBodyBytes = { api: 256 * kibibyte, signIn: 4 * kibibyte, providerSignIn: 16 * kibibyte };
/** A reader that takes nothing of an answer for this long is disconnected. */
export const readerSilenceMs = 60_000;

export const maxStreams = 1_000;
/** Bytes that a client of a stream may leave unread before it is dropped. */
export const maxBacklogBytes = 1_024 * kibibyte;
/** How long a client may take to read the rest of an ended stream. */
export const endGraceMs = 2_000;
/** Batches that may wait for names; beyond that their streams end. */
export const maxWaitingBatches = 100;
/** Events that are remembered, so that one announced twice is sent once. */
export const rememberedEvents = 100_000;
/** Agents' names, and keys whose use was noted, that are remembered. */
export const rememberedIds = 10_000;
/** Statuses of windows and teams. */
export const rememberedStatuses = 1_000;

/** The most cookies of the session's name that are tried: a browser sends several if somebody has set one for another path. */
export const maxCookies = 4;
/** A session ends after this long, used or not: a working day. */
export const sessionMs = 12 * 3_600_000;
/** How long a one-time link waits to be opened. */
export const linkMs = 600_000;

/** How long the OpenID provider may take for one answer. */
export const providerSeconds = 10;
export const maxPersonName = 128;
/** OpenID Connect Core 1.0, section 2. */
export const maxSubject = 255;

/** Recorded requests that one preview of policies looks at, and for how long, in milliseconds. */
export const maxReplayed = 200_000;
export const maxReplayMs = 20_000;
/** How long a text is searched for what policies name, in milliseconds. */
export const maxTryMs = 5_000;
/** How long the thread for that may take to start. */
export const maxTryStartMs = 60_000;
/** Texts that a process searches at once. */
export const maxTries = 8;

/** Messages that a process has in hand for one target; for all together, as many as there may be targets. */
export const messagesInHand = 2;
/** One exchange with a receiver of alerts, from its connection to the end of what is read, in milliseconds. */
export const exchangeMs = 10_000;
/** What is read of a receiver's answer. */
export const maxAnswerBytes = 16 * kibibyte;
/** Tests of targets that run at once. */
export const maxTargetTests = 8;
/** Alerts that an Alertmanager is told of. */
export const maxFedAlerts = 1_000;

/** How long an issuer of workload identities may take to show its keys, in milliseconds. */
export const issuerMs = 5_000;

/** Keys of providers that are listed. */
export const listedProviderKeys = 500;

/** How long the connection to a billing API may take, in milliseconds. */
export const billingConnectMs = 10_000;
/** Lines of a bill and of the records that are compared: of each day and model. */
export const maxReconciled = 50_000;
/** Calls that are not recorded, or in doubt, by which its gaps are explained; of more the newest. */
export const maxExplaining = 100_000;
