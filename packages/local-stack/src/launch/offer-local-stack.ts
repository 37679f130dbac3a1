// Loaded before the CLI (node --import): sets the address of the running local stack for it. AGP_URL comes first, and the local key
// is sent to the local stack only.
import { DemoNotReadyError, readDemoConfig } from '../demo/demo-config.ts';

try {
  const { managementUrl, managementKey } = readDemoConfig(process.env);
  process.env.AGP_LOCAL_URL = managementUrl;
  process.env.AGP_LOCAL_API_KEY = managementKey;
} catch (error) {
  // Nothing was ever started here: the CLI works on a deployment elsewhere, or asks for its URL.
  if (!(error instanceof DemoNotReadyError)) throw error;
}
