// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A token that says of its balances whatever it was told to, and answers a transfer with any word.
contract TellerToken {
    uint256 private immutable beforehand;
    uint256 private immutable afterwards;
    uint256 private immutable answer;
    bool private moved;

    constructor(uint256 beforehand_, uint256 afterwards_, uint256 answer_) {
        (beforehand, afterwards, answer) = (beforehand_, afterwards_, answer_);
    }

    function balanceOf(address) external view returns (uint256) {
        return moved ? afterwards : beforehand;
    }

    function transferFrom(address, address, uint256) external returns (uint256) {
        moved = true;
        return answer;
    }
}
