/** The JetStream stream that holds events until a writer has recorded them. */
export const eventStream = 'AGP_EVENTS';

/** Proxies publish each event here; the stream keeps it. */
export const eventSubject = 'agp.events.proxied';

/** The durable consumer that all writers share. */
export const writerConsumer = 'writer';

/** Writers announce each recorded batch here, on core NATS; management serves it as SSE. */
export const announcementSubject = 'agp.events.recorded';
