// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Answers every call with the bytes that it was told, or fails with them, or burns all its gas.
contract FakeDiamond {
    bytes internal answer;
    bool internal fails;
    bool internal burns;

    constructor(bytes memory answer_, bool fails_, bool burns_) {
        (answer, fails, burns) = (answer_, fails_, burns_);
    }

    fallback() external {
        bytes memory data = answer;
        bool reverts = fails;
        bool greedy = burns;
        assembly {
            if greedy { invalid() }
            if reverts { revert(add(data, 0x20), mload(data)) }
            return(add(data, 0x20), mload(data))
        }
    }
}
