/* What messages may make a writer hold, announce or store, whatever is in them. */

/** Events in memory: enough for 20 full batches, and less than JetStream allows all writers together, so that a dead one blocks none. */
export const maxHeld = 2_000;
/** Half of what NATS takes by default, for one announcement. */
export const maxAnnouncedBytes = 512 * 1024;
/** Texts of a message that is set aside. */
export const maxReason = 1_000;
export const maxMessageId = 256;
