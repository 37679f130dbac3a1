import { findEngine } from '../compose/engine.ts';
import { upgrade } from '../compose/upgrade.ts';
import { exitCodes, print, runCommand } from '../run-command.ts';

await runCommand({
  help: `Brings what "docker compose up" started to the version of this folder while agents go on calling: builds the images, migrates, and replaces writers, proxies and the management API one by one, the new one ready before the old one stops.

usage: npm run compose:upgrade [-- --profile demo] [--no-build]

  --profile <name>  as in docker compose; more than once
  --no-build        the images are there already

Reads what docker compose reads: .env, COMPOSE_FILE, COMPOSE_PROJECT_NAME, DOCKER_HOST. ${exitCodes}`,
  options: {
    profile: { type: 'string', multiple: true, default: [] },
    'no-build': { type: 'boolean', default: false },
  },
  run: ({ profile, 'no-build': noBuild }) =>
    upgrade(findEngine(profile.flatMap((name) => ['--profile', name])), { build: !noBuild, say: print }),
});
