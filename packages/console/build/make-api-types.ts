import openapiTS, { astToString } from 'openapi-typescript';

/** TypeScript types of an OpenAPI document. */
export async function makeApiTypes(document: object): Promise<string> {
  const nodes = await openapiTS(structuredClone(document) as Parameters<typeof openapiTS>[0]);
  return `// Made by npm run check from the management API's OpenAPI document, and not committed.\n\n${astToString(nodes)}`;
}
