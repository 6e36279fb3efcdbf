// `npm run demo-data`, `npm run dev-cert` and `npm run test-wallet`.
import { processCli } from '../apps/server/src/command-line/command.ts';
import { runTool, type ToolName } from './run-tool.ts';

const [name, ...args] = process.argv.slice(2);
process.exitCode = await runTool(name as ToolName, args, processCli(process.env));
