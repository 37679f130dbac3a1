import { readFileSync } from 'node:fs';
import { parseJson } from '@agp/core/json';
import { toLinesText } from '@agp/core/text';
import { Command, CommanderError } from 'commander';
import { CliError } from './cli-error.ts';
import { addAgentCommands, addPauseCommands } from './commands/agents.ts';
import { addAlertCommands } from './commands/alerts.ts';
import { addAuditCommands } from './commands/audit.ts';
import { addBudgetCommands, addLimitCommands } from './commands/budgets.ts';
import { addConsoleCommands } from './commands/console.ts';
import { addCostCommands, addPricesCommand } from './commands/costs.ts';
import { addDoctorCommand, addMeCommand } from './commands/doctor.ts';
import { addEventCommands } from './commands/events.ts';
import { addTokenCommand } from './commands/fresh-token.ts';
import { addIdentityCommands } from './commands/identities.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addPolicyCommands } from './commands/policies.ts';
import { addSessionCommands } from './commands/sessions.ts';
import { addStatusCommand } from './commands/status.ts';
import { addNameCommands, addTokenCommands } from './commands/tokens.ts';
import { addRefusalsCommand, addWhyCommand } from './commands/why.ts';
import { createShell } from './shell.ts';

const connectionHelp = `
It works on the local stack that "npm start" has running, or on the deployment that AGP_URL names, with
the key in AGP_API_KEY. Results go to standard output, everything else to standard error.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 nothing is left to verify.`;

function readVersion(): string {
  const { version } = parseJson(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}

/** The last of two values would win unseen. */
function refuseRepeats(command: Command): void {
  for (const option of command.options.filter(({ required, variadic }) => required && !variadic)) {
    let given = 0;
    command.on(`option:${option.name()}`, () => {
      given += 1;
      if (given > 1) command.error(`error: option '${option.flags}' is given more than once`);
    });
  }
  command.commands.forEach(refuseRepeats);
}

/** The whole command line. Errors of usage reject with CommanderError; it never ends the process. */
export function createProgram(environment: NodeJS.ProcessEnv): Command {
  // Its image says what it is called.
  const program = new Command(environment.PROGRAM_NAME ?? 'npm run -s agp --')
    .description('Looks at agents and steers them, through the management API.')
    .version(readVersion(), '--version', 'print the version')
    .option('--url <url>', 'the management API; AGP_URL, or the running local stack, if it is not given')
    .option('--key-file <file>', 'a file that holds the API key; AGP_API_KEY if it is not given')
    .option('--json', 'print the JSON that the API answered')
    .option('--no-color', 'no colours; NO_COLOR does the same')
    .addHelpText('after', connectionHelp)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      // One line, although commander adds a suggestion.
      outputError: (text, write) =>
        write(
          `${text
            .trim()
            .replace(/\s*\n\s*/g, ' ')
            .replace(/\.$/, '')}; --help says what it takes\n`,
        ),
    })
    .exitOverride();
  const shell = createShell(program, environment);
  const groups = [
    ...[addAgentCommands, addBudgetCommands, addLimitCommands, addPauseCommands, addEventCommands],
    ...[addStatusCommand, addRefusalsCommand, addWhyCommand, addPricesCommand],
    ...[addSessionCommands, addCostCommands, addKeyCommands, addTokenCommands, addNameCommands, addAuditCommands],
    ...[addPolicyCommands, addAlertCommands, addConsoleCommands, addTokenCommand, addIdentityCommands],
    ...[addDoctorCommand, addMeCommand],
  ];
  for (const addGroup of groups) addGroup(program, shell);
  refuseRepeats(program);
  return program;
}

/** Runs one command line. @returns the exit code */
export async function runProgram(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  try {
    await createProgram(environment).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed what was wrong, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof CliError)) throw error;
    process.stderr.write(`${toLinesText(error.message)}\n`);
    return error.exitCode;
  }
}
