// Runs a tool in this process.
import { createTestCli, type EndedCommand } from '../../apps/server/testing/run-limen.ts';
import { runTool, type ToolName } from '../run-tool.ts';

export async function runToolHere(
  name: ToolName,
  args: string[],
  environment: Record<string, string>,
): Promise<EndedCommand> {
  const { cli, output } = createTestCli({ environment });
  return { code: await runTool(name, args, cli), ...output };
}
