import type { ComposeProject } from '../compose-project.ts';

/** The management image holds the built console. @returns what to print */
export async function checkConsole(project: ComposeProject): Promise<string> {
  const url = await project.urlOf('balancer', 8081);
  const page = await (await fetch(`${url}/sign-in`, { headers: { accept: 'text/html' } })).text();
  const scripts = [...page.matchAll(/<script[^>]* src="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path);
  const answers = await Promise.all(scripts.map(async (path) => (await fetch(`${url}${path}`)).status));
  if (scripts.length === 0 || answers.some((status) => status !== 200))
    throw new Error(`the console's page names ${scripts}, answered with ${answers}: ${page.slice(0, 200)}`);
  return "the console's page and its script are served";
}
