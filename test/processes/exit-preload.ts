const exit = process.exit.bind(process);
process.exit = (code) => {
  process.stderr.write('process.exit was called\n');
  return exit(code);
};
