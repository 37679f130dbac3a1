export const eventStream = 'AGP_EVENTS';

export const eventSubject = 'agp.events.proxied';

/** Keeps events for a while after they are recorded, for a database that has to be restored. */
export const keptStream = 'AGP_EVENTS_KEPT';

/** The server copies every message of the event stream here; nobody publishes or listens. */
export const keptSubject = 'agp.events.kept';

export const replayConsumer = 'replay';

export const writerConsumer = 'writer';

/** Writers announce each recorded batch here, on core NATS; management serves it as SSE. */
export const announcementSubject = 'agp.events.recorded';
