// Loaded before the CLI (node --import): tells it where the running local stack is. It goes by AGP_URL first, and gives the local
// key to the local stack alone.
import { DemoNotReadyError, readDemoConfig } from '../demo/demo-config.ts';

try {
  const { managementUrl, managementKey } = readDemoConfig(process.env);
  process.env.AGP_LOCAL_URL = managementUrl;
  process.env.AGP_LOCAL_API_KEY = managementKey;
} catch (error) {
  // Nothing was ever started here: it works on a deployment elsewhere, or says that none is named.
  if (!(error instanceof DemoNotReadyError)) throw error;
}
