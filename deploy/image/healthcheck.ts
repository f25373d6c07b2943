// The image's HEALTHCHECK: ready or not, by the exit status. With Node.js in the image, no curl is needed.
const { ADMIN_PORT = '4001' } = process.env;
const response = await fetch(`http://127.0.0.1:${ADMIN_PORT}/health/ready`);
process.exitCode = response.ok ? 0 : 1;
