/** The JetStream stream that holds events until a writer has recorded them. */
export const eventStream = 'AGP_EVENTS';

/** Proxies publish each event here; the stream keeps it. */
export const eventSubject = 'agp.events.proxied';

/** The stream that keeps events for a while after they are recorded, for a database that has to be restored. */
export const keptStream = 'AGP_EVENTS_KEPT';

/** The server copies every message of the event stream to this subject. Nobody publishes or listens here. */
export const keptSubject = 'agp.events.kept';

/** The consumer of a replay, while it runs. */
export const replayConsumer = 'replay';

/** The durable consumer that all writers share. */
export const writerConsumer = 'writer';

/** Writers announce each recorded batch here, on core NATS; management serves it as SSE. */
export const announcementSubject = 'agp.events.recorded';
