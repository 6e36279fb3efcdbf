// Runs development tools like `limen` commands: with the service's settings and error handling.
import type { Command } from 'commander';
import type { Cli } from '../apps/server/src/command-line/command.ts';
import { newProgram, runProgram } from '../apps/server/src/commands.ts';

const TOOLS = {
  'demo-data': async () => (await import('./demo-data/demo-data.ts')).addDemoData,
  'dev-cert': async () => (await import('./dev-cert/dev-cert.ts')).addDevCert,
  'test-wallet': async () => (await import('./test-wallet/test-wallet.ts')).addTestWallet,
} satisfies Record<string, () => Promise<(program: Command, cli: Cli) => void>>;

export type ToolName = keyof typeof TOOLS;

/** Resolves with the exit code. */
export async function runTool(name: ToolName, args: readonly string[], cli: Cli): Promise<number> {
  const program = newProgram(`npm run ${name} --`, cli);
  const addTool = await TOOLS[name]();
  addTool(program, cli);
  return runProgram(program, args, cli);
}
