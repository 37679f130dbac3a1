/** The parameters in paths, as the document shows them. */
export const agentIdParameter = { id: { description: 'Agent id', example: 'agt_01k9r3v8w5f2q8m6t4n0x7y1za' } };
export const eventIdParameter = { id: { description: 'Event id', example: 'evt_01k9r3v8w5f2q8m6t4n0x7y1zb' } };
export const sessionIdParameter = { id: { description: 'Session id', example: 'ses_01k9r3v8w5f2q8m6t4n0x7y1zc' } };
export const keyIdParameter = { id: { description: 'Key id', example: 'key_01k9r3v8w5f2q8m6t4n0x7y1zd' } };
export const agentTokenIdParameter = {
  id: { description: 'Agent token id', example: 'tok_01k9r3v8w5f2q8m6t4n0x7y1ze' },
};
export const claimedNameParameter = { name: { description: 'Agent name', example: 'invoice-checker' } };
