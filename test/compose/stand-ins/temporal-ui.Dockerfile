FROM node:24.21.0-bookworm-slim
RUN userdel --remove node && useradd --uid 1000 --create-home temporal
WORKDIR /home/ui-server
COPY ui-server ui.sh ./
COPY docker.yaml config/
USER temporal
ENTRYPOINT ["bash", "./ui.sh"]
