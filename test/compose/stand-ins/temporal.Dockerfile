FROM node:24.21.0-bookworm-slim
RUN userdel --remove node && useradd --uid 1000 --create-home temporal
COPY temporal-server server.sh /usr/local/bin/
USER temporal
CMD ["bash", "/usr/local/bin/server.sh"]
