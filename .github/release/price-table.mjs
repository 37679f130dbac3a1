// Prints what each model costs in this release, in the words of `GET /api/v1/prices`.
import { createPriceLister, listProviders } from '@agp/catalogue';

const providers = [...listProviders([], {}).values()].map(({ id, api, baseUrl }) => ({ provider: id, api, baseUrl }));
console.log(JSON.stringify(createPriceLister(null).list(providers, new Date()), null, 1));
