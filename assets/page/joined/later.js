import("./$place").then((all) => all.$variable)
