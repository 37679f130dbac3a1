export { findGrant, grantsByName } from './grants.ts';
export { billingSettings, findOidcFault, type ManagementConfig, managementConfigSchema } from './management.ts';
export { proxyConfigSchema } from './proxy.ts';
export { type WriterConfig, writerConfigSchema } from './writer.ts';
