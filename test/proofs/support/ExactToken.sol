// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A token that everybody has enough of: a transfer credits the receiver exactly and takes from nobody.
contract ExactToken {
    mapping(address account => uint256) public balanceOf;

    function transferFrom(address, address to, uint256 amount) external returns (bool) {
        balanceOf[to] += amount;
        return true;
    }
}
